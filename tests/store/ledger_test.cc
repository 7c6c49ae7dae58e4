// The ledger: what was promised, and every run that wrote to the model, in order.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "rivulet/error.h"
#include "store/child.h"
#include "store/content.h"
#include "store/model_folder.h"

namespace rivulet::store_testing {
namespace {

class LedgerTest : public ModelFolder {
 protected:
  static std::string short_form(const std::vector<LedgerEntry>& ledger) {
    std::string text;
    for (const LedgerEntry& entry : ledger) {
      text += std::to_string(entry.entry) + " " + entry.event + " " + std::to_string(entry.step) + " " +
              std::to_string(entry.rows) + "\n";
    }
    return text;
  }
};

TEST_F(LedgerTest, RunsAreEnteredInOrderWithTheStepsTheyBeganAndEndedWith) {
  const auto stream = rows(30);
  {
    DurableRegression regression = DurableRegression::create(path("m"), options(3));
    EXPECT_EQ(short_form(ReleaseLog(path("m")).ledger()), "1 promise 0 0\n");
    for (std::size_t i = 0; i < 10; ++i) observe(regression, stream[i], i);
    regression.commit("10");
    for (std::size_t i = 10; i < 20; ++i) observe(regression, stream[i], i);
    regression.close("20");
  }
  { DurableRegression::open(path("m")); }  // commits nothing
  {
    DurableRegression regression = DurableRegression::open(path("m"));
    observe(regression, stream[20], 20);
    regression.commit("21");
    // Not closed: as after a crash.
  }
  {
    DurableRegression regression = DurableRegression::open(path("m"));
    for (std::size_t i = 21; i < 30; ++i) observe(regression, stream[i], i);
    regression.close("30");
  }
  const ReleaseLog log(path("m"));
  EXPECT_EQ(short_form(log.ledger()),
            "1 promise 0 0\n"
            "2 opened 0 0\n"
            "3 closed 6 18\n"
            "4 opened 6 18\n"
            "5 opened 7 21\n"
            "6 closed 10 30\n");
  for (const LedgerEntry& entry : log.ledger()) {
    EXPECT_TRUE(std::regex_match(entry.time, std::regex(R"(20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-6]\dZ)")))
        << entry.time;
  }
}

TEST_F(LedgerTest, ThePromiseIsStatedInFull) {
  StreamOptions wanted = with_units();
  wanted.unit->name = "he said \"ÿ\"";
  DurableRegression::create(path("m"), wanted).close("");
  const auto detail = nlohmann::json::parse(ReleaseLog(path("m")).ledger().front().detail);
  EXPECT_EQ(detail["epsilon"], 1.0);
  EXPECT_EQ(detail["delta"], 1e-6);
  EXPECT_EQ(detail["unit"], "he said \"ÿ\"");
  EXPECT_EQ(detail["max-rows-per-unit"], 9);
  EXPECT_EQ(detail["horizon"], "unbounded");
  EXPECT_TRUE(detail.contains("not-private"));
}

TEST_F(LedgerTest, AClosedModelTakesNoMoreRows) {
  DurableRegression regression = DurableRegression::create(path("m"), options(1));
  regression.close("there");
  EXPECT_THROW(regression.observe(std::vector{0.1, 0.2}, 0.3), Error);
  EXPECT_THROW(regression.flush(), Error);
  EXPECT_THROW(regression.commit("elsewhere"), Error);
  EXPECT_THROW(regression.close("elsewhere"), Error);
  EXPECT_EQ(regression.source(), "there");
}

TEST_F(LedgerTest, NamesThatAreNotUtf8AreRefusedBeforeAnythingIsMade) {
  const auto refused = [&](const StreamOptions& wanted) {
    EXPECT_THROW(DurableRegression::create(path("m"), wanted), RequestError);
    EXPECT_TRUE(everything().empty());
  };
  StreamOptions wanted = options();
  wanted.schema.feature("\xff", {0, 1});
  refused(wanted);
  wanted = options();
  wanted.schema.categorical("colour", {"red", "bl\xc3"});
  refused(wanted);
  wanted = with_units();
  wanted.unit->name = "\x80";
  refused(wanted);
}

TEST_F(LedgerTest, AModelThatExistsIsNotOverwritten) {
  DurableRegression::create(path("m"), options()).close("mine");
  const auto before = everything();
  try {
    DurableRegression::create(path("m"), options());
    ADD_FAILURE();
  } catch (const IoError& error) {
    EXPECT_EQ(error.what(), "model: cannot create '" + path("m") + "': File exists; it was left untouched");
  }
  EXPECT_THROW(DurableRegression::create(path("no/such/folder"), options()), IoError);
  EXPECT_EQ(everything(), before);
}

// Two processes that create the same model at the same time: one of them has it.
TEST_F(LedgerTest, OfManyWhoCreateAModelOneSucceeds) {
  for (int round = 0; round < 5; ++round) {
    Bell start;
    std::vector<std::unique_ptr<Child>> children;
    for (int i = 0; i < 6; ++i) {
      children.push_back(std::make_unique<Child>([&] {
        start.await();
        try {
          DurableRegression regression = DurableRegression::create(path("m"), options());
          regression.close("mine");
        } catch (const IoError&) {
          ::_exit(1);
        } catch (const ModelConflict&) {
          ::_exit(2);
        }
      }));
    }
    for (int i = 0; i < 6; ++i) start.ring();
    int made = 0;
    for (const auto& child : children) {
      const int code = child->wait();
      made += code == 0 ? 1 : 0;
      EXPECT_TRUE(code == 0 || code == 1) << code;
    }
    EXPECT_EQ(made, 1);
    EXPECT_EQ(DurableRegression::open(path("m")).source(), "mine");
    remove_model(path("m"));
    EXPECT_TRUE(everything().empty());
  }
}

}  // namespace
}  // namespace rivulet::store_testing
