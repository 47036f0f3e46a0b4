// The catalog of models agrees with the modules.
#include "protocol/messages/spec/model_facts.h"
#include "tests/trainer/models/network.h"

using namespace ringside;
using namespace ringside::testing;

TEST_CASE("every model in the catalog has a module with the stated parameters") {
  struct Case {
    models::InputShape images;
    std::int64_t classes;
    const char* stem;
  };
  const Case cases[] = {{{1, 28, 28}, 10, "imagenet"},
                        {{3, 32, 32}, 100, "cifar"},
                        {{2, 16, 45}, 7, "cifar_stride2"}};
  for (const auto& model : messages::model_table()) {
    int built = 0;
    for (const Case& one : cases) {
      if (!messages::image_misfit(model.name, one.images).empty()) continue;
      INFO(model.name << " with " << one.stem << ", channels " << one.images.channels);
      messages::ModelSpec spec;
      spec.name = model.name;
      spec.stem = one.stem;
      spec.classes = one.classes;
      const auto made = models::make_model(spec, one.images, 0);
      if (!made) FAIL(made.error().message);
      CHECK(made->parameter_count() == messages::parameter_count(spec, one.images));
      ++built;
    }
    INFO(model.name);
    CHECK(built > 0);
  }
}
