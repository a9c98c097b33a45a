"""The programs of surveillance: subscribers to a whole floor of tables. A table's board needs none of them."""
