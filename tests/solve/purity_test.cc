// A fit must depend on its statistics alone: a model made again from a record years later is the model that was
// published. Every solver, in every case it distinguishes, is asked in many orders and compared bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "solve/default_solver.h"
#include "solve/instances.h"

namespace rivulet::solve {
namespace {

struct Question {
  Instance instance;
  NoiseLevel noise;
};

NoiseLevel level(double sigma) {
  return {sigma, sigma / std::sqrt(2.0), sigma};
}

Question scaled(Question question, double gram_factor, double cross_factor) {
  for (double& entry : question.instance.gram) entry *= gram_factor;
  for (double& entry : question.instance.cross) entry *= cross_factor;
  question.noise = level(question.noise.gram_diagonal * gram_factor);
  return question;
}

// Definite, nearly singular, indefinite, without a linear part, all zero, and magnitudes that take the rescaled path.
std::vector<Question> questions(std::size_t d) {
  std::mt19937_64 generator(111);
  std::vector<Question> list;
  for (const double sigma : {0.0, 0.3, 5.0, 60.0}) {
    for (const int rows : {20, 400}) {
      list.push_back({random_instance(generator, d, rows, 3.0, sigma), level(sigma)});
      list.push_back({random_instance(generator, d, rows, 3.0, sigma), level(sigma)});
    }
  }
  const Question usual = list.back();
  for (const double factor : {1e-250, 1e-70, 1e70, 1e250}) {
    list.push_back(scaled(usual, factor, factor));
    list.push_back(scaled(usual, factor, 1.0));
    list.push_back(scaled(usual, 1.0, factor));
  }
  list.push_back(scaled(usual, 1.0, 0.0));
  list.push_back(scaled(usual, 0.0, 1.0));
  list.push_back(scaled(usual, 0.0, 0.0));
  return list;
}

std::vector<std::shared_ptr<const ConstraintSet>> sets(std::size_t d) {
  std::vector<std::shared_ptr<const ConstraintSet>> list;
  for (const double radius : {0.05, 1.0, 40.0}) {
    list.push_back(make_l2_ball(d, radius));
    list.push_back(make_l1_ball(d, radius));
  }
  return list;
}

std::vector<double> answer(DefaultSolver& solver, const Question& question) {
  const auto theta = solver.solve(question.instance.quadratic(), question.noise);
  return {theta.begin(), theta.end()};
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

const DefaultSolverOptions kSettings[] = {{}, {.regularise = false}, {.regularise = false, .ridge = 2.0}};

TEST(DefaultSolver, GivesTheSameBitsInAnyOrderRepeatedAndFromAFreshObject) {
  for (const std::size_t d : {1, 2, 9, 55}) {
    const std::vector<Question> all = questions(d);
    for (const auto& set : sets(d)) {
      for (const DefaultSolverOptions& settings : kSettings) {
        std::vector<std::vector<double>> fresh;
        for (const Question& question : all) {
          DefaultSolver solver(set, settings);
          fresh.push_back(answer(solver, question));
        }
        DefaultSolver used(set, settings);
        std::mt19937_64 generator(112);
        std::vector<std::size_t> order(all.size());
        std::iota(order.begin(), order.end(), 0);
        for (int round = 0; round < 3; ++round) {
          for (const std::size_t k : order) {
            EXPECT_TRUE(same_bits(answer(used, all[k]), fresh[k])) << set->name() << " d " << d << " question " << k;
            EXPECT_TRUE(same_bits(answer(used, all[k]), fresh[k])) << "again";
          }
          std::shuffle(order.begin(), order.end(), generator);
        }
      }
    }
  }
}

// Vectorised sums may begin at the first aligned entry: an order that must not come through.
TEST(DefaultSolver, GivesTheSameBitsWhereverTheStatisticsLieInMemory) {
  for (const std::size_t d : {7, 55}) {
    for (const auto& set : sets(d)) {
      for (const Question& question : questions(d)) {
        DefaultSolver solver(set);
        const std::vector<double> expected = answer(solver, question);
        for (const std::size_t offset : {1, 2, 3}) {
          std::vector<double> memory(offset, 0.0);
          memory.insert(memory.end(), question.instance.gram.begin(), question.instance.gram.end());
          memory.insert(memory.end(), question.instance.cross.begin(), question.instance.cross.end());
          const std::span<const double> all(memory);
          const Quadratic moved{d, all.subspan(offset, d * d), all.subspan(offset + d * d, d)};
          const auto theta = solver.solve(moved, question.noise);
          EXPECT_TRUE(same_bits({theta.begin(), theta.end()}, expected)) << set->name() << " offset " << offset;
        }
      }
    }
  }
}

TEST(DefaultSolver, ARefusedCallLeavesNoTrace) {
  const std::vector<Question> all = questions(5);
  for (const auto& set : sets(5)) {
    DefaultSolver solver(set);
    for (const Question& question : all) {
      const std::vector<double> before = answer(solver, question);
      Question bad = question;
      bad.instance.gram[3] = std::numeric_limits<double>::quiet_NaN();
      EXPECT_ANY_THROW(answer(solver, bad));
      EXPECT_TRUE(same_bits(answer(solver, question), before));
    }
  }
}

}  // namespace
}  // namespace rivulet::solve
