// A stranger's first program: the example of rivulet/priv_inc_reg1.h, made complete.
#include <array>
#include <cmath>
#include <cstdio>
#include <random>

#include "rivulet/rivulet.h"

struct Person {
  double age, income, spend;
};

int main() {
  rivulet::StreamOptions options;
  options.budget = {.epsilon = 1.0, .delta = 1e-6};
  options.schema.feature("age", {18, 90}).feature("income", {0, 200000}).target("spend", {0, 5000});
  options.release_every = 100;
  rivulet::PrivIncReg1 regression(options);

  std::mt19937 random;
  std::uniform_real_distribution<double> age(18, 90);
  std::uniform_real_distribution<double> income(0, 200000);
  for (int i = 0; i < 1000; ++i) {
    Person person{age(random), income(random), 0};
    person.spend = 500 + 0.02 * person.income;
    if (!regression.observe(std::array{person.age, person.income}, person.spend)) continue;
    const rivulet::Model model = regression.model();
    std::printf("%llu rows: spend = %g", static_cast<unsigned long long>(model.rows), model.intercept);
    for (const rivulet::Coefficient& slope : model.coefficients)
      std::printf(" + %g %s", slope.value, slope.name.c_str());
    std::printf("\n");
    if (!std::isfinite(model.predict({40, 60000}))) return 1;
  }

  // The same, kept in a file: opened again it goes on, and its public half can be handed out and refitted.
  std::remove("stranger.rivulet");
  rivulet::DurableRegression::create("stranger.rivulet", options).close("nothing read yet");
  {
    rivulet::DurableRegression durable = rivulet::DurableRegression::open("stranger.rivulet");
    for (int i = 0; i < 200; ++i) durable.observe(std::array{age(random), income(random)}, 1000.0);
    if (durable.commit("row 200").size() != 2) return 1;
  }
  const rivulet::ReleaseLog log("stranger.rivulet");
  const rivulet::Release last = log.at(log.last_step());
  rivulet::Refit refit(log.options(), rivulet::Refit::settings_of(log.options()));
  if (refit.fit(last.statistics).theta != last.model.theta) return 1;
  if (rivulet::Inference(log.options().schema, last.statistics).coefficients().size() != 3) return 1;

  // Many features, most of them 0: a sketch.
  rivulet::StreamOptions words;
  words.budget = {.epsilon = 1.0, .delta = 1e-6};
  words.schema.block("word", 1000, {0, 1}).target("score", {0, 5}).clip_norm(2);
  words.constraint = "l1:2";
  words.sketch = rivulet::Sketch{.dimension = 20};
  words.release_every = 10;
  rivulet::PrivIncReg2 sketched(words);
  const std::array<std::uint32_t, 2> positions{3, 700};
  const std::array<double, 2> values{1.0, 1.0};
  for (int i = 0; i < 10; ++i) sketched.observe(rivulet::SparseRow{positions, values}, 4.0);
  if (!std::isfinite(sketched.model().predict(rivulet::SparseRow{positions, values}))) return 1;

  try {
    options.budget.epsilon = -1;
    const rivulet::PrivIncReg1 refused(options);
  } catch (const rivulet::RequestError& error) {  // the library's exceptions are the program's, too
    std::printf("refused %s, rivulet %s\n", error.field().c_str(), rivulet::kVersion);
    return 0;
  }
  return 1;
}
