// What `rivulet fit --help` says before and after its flags.
#pragma once

namespace rivulet::cli {

inline constexpr const char* kFitDescription =
    "Fit a private model to a stream of rows, published as the stream grows.\n"
    "\n"
    "Reads rows from a file (plain or gzip; see --format) or from standard input, and after every\n"
    "--release-every rows publishes the linear model of everything seen so far. All releases together\n"
    "are (epsilon, delta)-differentially private for every row, however long the stream goes on.\n"
    "\n"
    "Bounds are yours to declare, from what you know of the world and never from the data; values\n"
    "outside are moved to the nearest bound. A row that cannot be used (a missing or unreadable value,\n"
    "an undeclared category or class) counts as a zero row and never stops the stream.";

inline constexpr const char* kFitFooter =
    "EXAMPLES\n"
    "  A model of spending, a release every 100 people, releases to a file, the last model as a table:\n"
    "    rivulet fit survey.csv --target spend --features age,income --bound age=18:90 \\\n"
    "        --bound income=0:200000 --bound spend=0:5000 --epsilon 1 --delta 1e-6 \\\n"
    "        --release-every 100 --releases models.jsonl\n"
    "  From a pipe into a pipe, a release after every row:\n"
    "    tail -f events.csv | rivulet fit --config model.toml --releases - | jq .coefficients\n"
    "  Scores from at most 10 of 4000 words: libsvm rows through a sketch, whose sizes rivulet plan weighs:\n"
    "    rivulet fit reviews.svm --dimension 4000 --bound x=0:1 --bound y=-1:1 --no-intercept \\\n"
    "        --only-if 'nonzeros<=10' --constraint l1:2 --sketch auto --epsilon 1 --delta 1e-6 \\\n"
    "        --release-every 1000 --releases models.jsonl\n"
    "  Who buys, as probabilities (logistic regression by PrivIncERM), and how good they are on known rows:\n"
    "    rivulet fit visits.csv --target bought --classes no,yes --features age,income \\\n"
    "        --bound age=18:90 --bound income=0:200000 --epsilon 1 --delta 1e-6 --release-every 100 \\\n"
    "        --horizon 500 --constraint l2:6 --model bought.rivulet\n"
    "    rivulet predict bought.rivulet known.csv --score\n"
    "\n"
    "CONFIGURATION FILE (TOML; the same names as the flags, flags win)\n"
    "    target = \"spend\"\n"
    "    features = [\"age\", \"income\", \"region\"]\n"
    "    epsilon = 1.0\n"
    "    delta = 1e-6\n"
    "    release-every = 100\n"
    "    [bounds]\n"
    "    age = [18, 90]\n"
    "    income = [0, 200000]\n"
    "    spend = [0, 5000]\n"
    "    [levels]\n"
    "    region = [\"north\", \"south\"]\n"
    "\n"
    "OUTPUT\n"
    "  Each release is one JSON line: step, rows, intercept, coefficients (in your units), noise (standard\n"
    "  deviations of the private sums), epsilon, delta, neighbours. The table of the last model goes to\n"
    "  standard output, or to standard error when the releases go to standard output. Counts of unusable\n"
    "  rows go to standard error: they are exact, for the operator only. With a sketch, coefficients that\n"
    "  are not listed are 0. With classes, intercept and coefficients are those of a score: log-odds of the\n"
    "  positive class with the logistic loss. With --mechanism erm there are tau, the calls so far and the\n"
    "  noise of a call.\n"
    "\n"
    "EXIT CODES\n"
    "  0 done; 1 a file or stream could not be read or written; 2 bad request, no row was read and\n"
    "  nothing published; 3 the stream is longer than its horizon; 4 the model is in use, damaged or behind\n"
    "  what was published, or its input changed: nothing was read, published or changed; 130 interrupted\n"
    "  (with --model: 0, nothing is lost). After 1, 3 and 130 what was published stays valid.";

}  // namespace rivulet::cli
