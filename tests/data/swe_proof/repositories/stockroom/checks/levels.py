"""Checks that the repository has at its base commit: ``python -m unittest checks.levels``."""

import unittest

from stockroom.levels import first_short, reserve, restock


class Levels(unittest.TestCase):
    def test_reserve_all(self):
        self.assertEqual(reserve(5, 5), 5)

    def test_first_short(self):
        self.assertEqual(first_short([9, 8, 1], 3), 2)

    def test_restock(self):
        self.assertEqual(restock([1, 0], 3), 5)


if __name__ == "__main__":
    unittest.main()
