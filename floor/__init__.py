"""What surveillance runs: subscribers to a whole floor of tables. No part of it is needed on a table's board."""
