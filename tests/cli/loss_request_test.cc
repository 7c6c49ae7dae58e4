// Requests about losses, classes and PrivIncERM that cannot be honoured.
#include <gtest/gtest.h>

#include "cli/bad_request.h"
#include "cli/class_fixture.h"

namespace rivulet::cli_testing {
namespace {

class BadLossRequest : public DurableTest, public ::testing::WithParamInterface<BadRequest> {};

TEST_P(BadLossRequest, IsRefusedInOneLineWithNothingMade) {
  const std::string file = write("d.csv", class_csv(20));
  const auto before = everything();
  for (const Flags& flags : {GetParam().flags, GetParam().flags.with("--model", path("m"))}) {
    const Outcome outcome = run(flags.with("--releases", path("r")).fit(file));
    expect_one_line(outcome, GetParam().message);
    EXPECT_EQ(everything(), before);
  }
}

std::vector<BadRequest> bad_requests() {
  const Flags erm = class_flags();
  const Flags surrogate = surrogate_flags();
  const Flags numbers = erm.without("--classes").plus("--bound", "bought=0:1");
  const Flags squares = numbers.without("--tau");
  return {
      {"UnknownLoss", erm.with("--loss", "cubic"), {"loss: \"cubic\"", "logistic", "quantile:LEVEL"}},
      {"LossWithoutItsNumber", numbers.with("--loss", "huber"), {"loss: \"huber\"", "huber:THRESHOLD"}},
      {"QuantileOutside", numbers.with("--loss", "quantile:1"), {"loss: \"quantile:1\""}},
      {"UnknownMechanism",
       erm.with("--mechanism", "magic"),
       {"mechanism: \"magic\"", "accepted: full, sketch, erm, surrogate, naive, trivial"}},
      {"OneClass", erm.with("--classes", "yes"), {"classes: \"yes\"", "two different classes, the negative one first"}},
      {"ThreeClasses", erm.with("--classes", "a,b,c"), {"classes: \"a,b,c\"", "two different classes"}},
      {"TheSameClassTwice", erm.with("--classes", "a,a"), {"classes: \"a,a\"", "two different classes"}},
      {"TheSameNumberTwice", erm.with("--classes", "1,1.0"), {"classes: \"1,1.0\"", "two different classes"}},
      {"AnEmptyClass", erm.with("--classes", "a,"), {"classes: \"a,\"", "two different classes"}},
      {"BoundOfATargetWithClasses",
       erm.plus("--bound", "bought=0:1"),
       {"bounds bought: declared for a target of two classes", "classes without it"}},
      {"LevelsOfTheTarget",
       erm.without("--classes").with("--loss", "squared").without("--tau").with("--levels", "bought=no|yes"),
       {"levels bought: declared for the target", "classes=NEGATIVE,POSITIVE"}},
      {"ClassificationWithoutClasses",
       numbers.with("--loss", "hinge"),
       {"classes: not given, and hinge tells two classes apart", "classes=NEGATIVE,POSITIVE"}},
      {"ANumbersLossWithClasses",
       erm.with("--loss", "huber:1"),
       {"loss: huber:1 is for numbers", "logistic, hinge, smooth-hinge:W"}},
      {"SquaresOfClassesByErm",
       erm.with("--loss", "squared").with("--mechanism", "erm"),
       {"loss: squared is for numbers", "logistic"}},
      {"FullWithAnotherLoss",
       erm.without("--tau").with("--loss", "hinge").with("--mechanism", "full"),
       {"mechanism: 'full' is for the squared loss, and the loss is hinge", "mechanism=erm"}},
      {"FullWithClassesAlone",
       erm.without("--tau").with("--mechanism", "full"),
       {"the loss is logistic, as it is for two classes unless said otherwise", "mechanism=surrogate",
        "loss=squared"}},
      {"SketchWithAnotherLoss",
       erm.without("--tau").with("--sketch", "2"),
       {"mechanism: a sketch is for the squared loss, and the loss is logistic"}},
      {"SketchAndErm",
       numbers.with("--mechanism", "erm").with("--sketch", "2"),
       {"mechanism: 'erm' contradicts sketch"}},
      {"EmbeddingWithErm", erm.with("--embedding", "gaussian"), {"embedding: has no meaning with mechanism 'erm'"}},
      {"SurrogateOfTheHinge",
       surrogate.with("--loss", "hinge"),
       {"mechanism: 'surrogate' is for the logistic loss, and the loss is hinge"}},
      {"SurrogateWithoutClasses",
       squares.with("--mechanism", "surrogate"),
       {"classes: not given, and logistic tells two classes apart"}},
      {"TauOfTheSurrogate", surrogate.with("--tau", "3"), {"tau: has no meaning with mechanism 'surrogate'"}},
      {"TauOfSquares", squares.with("--tau", "3"), {"tau: has no meaning with mechanism 'full'", "with mechanism erm"}},
      {"RidgeOfSquares", squares.with("--ridge", "1"), {"ridge: has no meaning with mechanism 'full'", "with mechanism erm, naive"}},
      {"AverageOfSquares", squares.bare("--no-average"), {"average: has no meaning with mechanism 'full'"}},
      {"MarginOfErm", erm.with("--margin", "3"), {"margin: has no meaning with mechanism 'erm'", "with mechanism surrogate"}},
      {"MarginOfSquares", squares.with("--margin", "3"), {"margin: has no meaning with mechanism 'full'"}},
      {"MarginZero", surrogate.with("--margin", "0"), {"margin: 0", "positive"}},
      {"StrategyOfErm", erm.with("--strategy", "tree"), {"strategy: has no meaning with mechanism 'erm'"}},
      {"BuffersOfErm", erm.with("--buffers", "3"), {"buffers: has no meaning with mechanism 'erm'"}},
      {"TreeDecodingOfErm", erm.with("--tree-decoding", "paper"), {"tree-decoding: has no meaning with mechanism 'erm'"}},
      {"RowSetOfErm", erm.with("--row-set", "dense"), {"row-set: has no meaning with mechanism 'erm'"}},
      {"TauAndRule", erm.with("--tau-rule", "width"), {"tau-rule: chooses tau, and tau says it"}},
      {"TauOfNaive", erm.with("--mechanism", "naive"), {"tau: has no meaning with mechanism 'naive'"}},
      {"TauOfTrivial", erm.with("--mechanism", "trivial"), {"tau: has no meaning with mechanism 'trivial'"}},
      {"IterationsOfTrivial",
       erm.without("--tau").with("--mechanism", "trivial").with("--iterations", "3"),
       {"iterations: has no meaning with mechanism 'trivial'"}},
      {"UnknownRule", erm.without("--tau").with("--tau-rule", "best"), {"tau-rule: \"best\"", "strongly-convex"}},
      {"UnknownMethod",
       erm.with("--method", "newton"),
       {"method: \"newton\"", "gradient-descent, frank-wolfe, output-perturbation"}},
      {"FrankWolfeOfAKink",
       erm.with("--loss", "hinge").with("--method", "frank-wolfe"),
       {"method: frank-wolfe needs a smooth loss, which hinge is not", "gradient-descent"}},
      {"TauZero", erm.with("--tau", "0"), {"tau: 0", "positive whole"}},
      {"IterationsOfText", erm.with("--iterations", "few"), {"iterations: \"few\""}},
      {"BatchesNegative", erm.with("--batches", "-2"), {"batches: -2"}},
      {"RidgeNegative", erm.with("--ridge", "-1"), {"ridge: -1", "0 or more"}},
      {"LateWeightWithoutHorizon",
       erm.without("--horizon").with("--late-weight", "1"),
       {"late-weight: 1", "0 for an unknown horizon"}},
      {"PaperWithoutHorizon", erm.without("--horizon").with("--profile", "paper"), {"horizon: profile 'paper'"}},
      {"NoEpsilon", erm.without("--epsilon"), {"epsilon: not given"}},
  };
}

INSTANTIATE_TEST_SUITE_P(Loss, BadLossRequest, ::testing::ValuesIn(bad_requests()),
                         [](const auto& test) { return test.param.name; });

TEST(LossFlags, AverageAndNoAverageExcludeEachOther) {
  const Outcome outcome = run(class_flags().bare("--average").bare("--no-average").fit(), "x,z,bought\n");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(is_one_line(outcome.err));
}

class WordsInLibsvm : public FitTest {};

TEST_F(WordsInLibsvm, AreRefused) {
  const Flags flags{{"--dimension", "3"}, {"--bound", "x=0:1"}, {"--clip-norm", "1"}, {"--classes", "no,yes"},
                    {"--epsilon", "1"},   {"--delta", "1e-6"},  {"--horizon", "10"}};
  const Outcome outcome = run(flags.fit(write("d.svm", "1 1:1\n")));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(is_one_line(outcome.err));
  EXPECT_TRUE(holds(outcome.err, "classes: \"no\" and \"yes\" are words, and the labels of libsvm rows are numbers"));
}

}  // namespace
}  // namespace rivulet::cli_testing
