"""The streams the peers are compared on, in box units: every column scaled to [-1, 1] by declared bounds."""

import csv
import dataclasses
import gzip
import pathlib
import tomllib

import numpy as np


@dataclasses.dataclass
class Column:
    name: str
    low: float
    high: float


@dataclasses.dataclass
class Stream:
    name: str
    numeric: list[Column]
    levels: dict[str, list[str]]  # categorical columns; the first level is the reference
    target: Column
    rows: np.ndarray  # features in box units, levels as 0 or 1, without the constant 1 of the intercept
    targets: np.ndarray
    table: pathlib.Path  # the same rows as a CSV file in the users' units

    @property
    def row_norm(self) -> float:
        """No row is longer, the intercept's 1 included: one for each numeric, each categorical column and the intercept."""
        return float(np.sqrt(len(self.numeric) + len(self.levels) + 1))

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        dummies = self.rows.shape[1] - len(self.numeric)
        low = np.concatenate([-np.ones(len(self.numeric)), np.zeros(dummies)])
        return low, np.ones(self.rows.shape[1])

    def with_intercept(self) -> np.ndarray:
        return np.hstack([np.ones((len(self.rows), 1)), self.rows])

    def arguments(self) -> list[str]:
        """What `rivulet fit` must be told about the columns."""
        words = ["--target", self.target.name]
        for column in [*self.numeric, self.target]:
            words += ["--bound", f"{column.name}={column.low}:{column.high}"]
        for name, levels in self.levels.items():
            words += ["--levels", f"{name}={'|'.join(levels)}"]
        return words + ["--features", ",".join([c.name for c in self.numeric] + list(self.levels))]

    def box_units(self, release: dict) -> np.ndarray:
        """A published model, intercept first, as coefficients in box units."""
        given = release["coefficients"]
        half = (self.target.high - self.target.low) / 2
        constant = release["intercept"] - (self.target.high + self.target.low) / 2
        theta = []
        for column in self.numeric:
            constant += given[column.name] * (column.high + column.low) / 2
            theta.append(given[column.name] * (column.high - column.low) / 2)
        for name, levels in self.levels.items():
            theta += [given[f"{name}={level}"] for level in levels[1:]]
        return np.array([constant, *theta]) / half


def synthetic(features: int, rows: int, seed: int, folder: pathlib.Path) -> Stream:
    """x uniform in the box, y = <theta, x> + noise kept within [-1, 1], |theta| = 0.6 and noise of 0.15: R^2 about 0.84."""
    random = np.random.default_rng([features, seed])
    theta = random.normal(size=features)
    theta *= 0.6 / np.linalg.norm(theta)
    x = np.round(random.uniform(-1, 1, (rows, features)), 6)
    y = np.round(np.clip(x @ theta + random.normal(0, 0.15, rows), -1, 1), 6)
    columns = [Column(f"x{i}", -1, 1) for i in range(features)]
    path = folder / f"synthetic_{features}_{rows}_{seed}.csv"
    if not path.exists():
        header = ",".join([c.name for c in columns] + ["y"])
        np.savetxt(path, np.column_stack([x, y]), fmt="%.6f", delimiter=",", header=header, comments="")
    return Stream(f"synthetic, d = {features}", columns, {}, Column("y", -1, 1), x, y, path)


def from_table(name: str, path: pathlib.Path, numeric: list[Column], levels: dict[str, list[str]], target: Column,
               multiple_of: int, folder: pathlib.Path) -> Stream:
    """The usable rows of a table, in its order, cut to a multiple of `multiple_of` rows."""
    kept, box, targets = [], [], []
    with gzip.open(path, "rt", newline="") as file:
        reader = csv.DictReader(file)
        for row in reader:
            if any(row[c.name] in ("", "NA") for c in [*numeric, target]):
                continue
            values = [(min(max(float(row[c.name]), c.low), c.high) - (c.high + c.low) / 2) * 2 / (c.high - c.low)
                      for c in [*numeric, target]]
            dummies = [float(row[column] == level) for column, all_levels in levels.items() for level in all_levels[1:]]
            targets.append(values.pop())
            box.append(values + dummies)
            kept.append([row[c] for c in [x.name for x in numeric] + list(levels) + [target.name]])
    count = len(kept) // multiple_of * multiple_of
    out = folder / f"{name}.csv"
    with open(out, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([x.name for x in numeric] + list(levels) + [target.name])
        writer.writerows(kept[:count])
    return Stream(name, numeric, levels, target, np.array(box[:count]), np.array(targets[:count]), out)


def configured(name: str, data: pathlib.Path, multiple_of: int, folder: pathlib.Path) -> Stream:
    """NAME.csv.gz with the bounds and levels of NAME.toml."""
    with open(data / f"{name}.toml", "rb") as file:
        config = tomllib.load(file)
    levels = {column: config["levels"][column] for column in config["features"] if column in config.get("levels", {})}
    numeric = [Column(c, *config["bounds"][c]) for c in config["features"] if c not in levels]
    target = Column(config["target"], *config["bounds"][config["target"]])
    return from_table(name, data / f"{name}.csv.gz", numeric, levels, target, multiple_of, folder)
