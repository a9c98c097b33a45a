#!/usr/bin/perl
# Prints ONE line a message, whatever the message holds. Reads lines whose last word is the message in hexadecimal, as
# mosquitto_sub -F '%t %x' writes them. Without this a line break in a message begins a line that looks like another
# table's, and an escape sequence writes over the terminal. Control characters become blanks, and what is not ASCII
# becomes JSON's \uXXXX. An argument is the greatest length of a line in bytes; a longer one ends with "...".
use strict;
use warnings;
$| = 1;
my $limit = shift;
while (my $line = <STDIN>) {
    chomp $line;
    my ($words, $hex) = $line =~ /^(.* )?([0-9a-f]*)$/s or next;
    my $text = ($words // '') . pack('H*', $hex);
    utf8::decode($text);    # what is no UTF-8 stays bytes
    $text =~ tr/\x00-\x1f\x7f/ /;
    $text =~ s/([^ -~])/join '', map { sprintf '\\u%04x', $_ } units(ord $1)/ge;
    $text = substr($text, 0, $limit - 3) . '...' if $limit && length $text > $limit;
    print "$text\n";
}

# A character as JSON names it: two units above U+FFFF.
sub units {
    my $code = shift;
    return $code if $code < 0x10000;
    $code -= 0x10000;
    return (0xd800 + ($code >> 10), 0xdc00 + ($code & 0x3ff));
}
