"""Rule books: reading them, checking them, comparing them, and what a table can judge of one.

`book` finds and loads, `book_file` reads one file, `editions` are prints of another book; `bookcheck` and `bookwords`
find mistakes, `changes` compares two books, `coverage` lists what a table's devices can judge. The books themselves
are in `rules/books/`. May import: all other rooms of `rules`. No other room imports it.
"""

from pitwatch.rules.book.book import (
    BOOKS,
    book_files,
    book_folder,
    books,
    games,
    load_game,
    read_book,
    read_game,
)

__all__ = ["BOOKS", "book_files", "book_folder", "books", "games", "load_game", "read_book", "read_game"]
