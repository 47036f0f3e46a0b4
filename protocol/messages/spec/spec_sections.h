// The sections of a run's spec, one struct each; those of training are in spec_training.h. The
// descriptions of the settings are in spec_fields.h. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringside::messages {

struct ProgramSpec {
  std::vector<std::string> argv;
  std::string cwd;
  std::vector<std::string> environment;
  bool instrument = true;
  bool keep_source = true;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit);
};

struct DevicesSpec {
  std::string kind = "auto";
  std::int64_t world_size = 1;
  std::vector<std::string> ids;
  std::int64_t threads = 0;
  std::string affinity = "none";
  std::string parallel = "ddp";
  std::string when_busy = "wait";
  std::int64_t nodes = 1;
  std::int64_t ranks_per_node = 0;
  std::string interface;
  bool virtual_nodes = false;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit);
};

struct ModelSpec {
  std::string name = "convnet";
  std::int64_t classes = 10;
  std::string stem = "imagenet";
  bool sync_batchnorm = false;
  std::string init_from;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit);
};

struct DataSpec {
  std::string name = "digits";
  std::string root;
  std::int64_t train_samples = 6000;
  std::int64_t test_samples = 1000;
  std::int64_t seed = 0;
  std::vector<double> mean;
  std::vector<double> std;
  std::int64_t resize = 0;
  std::int64_t crop = 0;
  std::int64_t crop_padding = 0;
  bool flip = false;
  std::int64_t workers = 1;
  bool on_device = false;
  std::int64_t pinned_mib = 1024;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit);
};

struct BaselineSpec {
  std::string mode = "none";
  std::string run;
  std::vector<std::string> set;
  std::vector<std::int64_t> also_on;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit);
};

struct LimitsSpec {
  std::int64_t restarts = 0;
  double grace_s = 30.0;
  double stall_s = 60.0;
  double collective_timeout_s = 600.0;  ///< PyTorch's default for NCCL
  std::int64_t crash_step = 0;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& visit);
};

}  // namespace ringside::messages
