#include "trainer/agent/words/error_message.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "trainer/agent/words/printed_lines.h"

using namespace ringside::agent;

namespace {

const std::string kBack =
    "Traceback (most recent call last):\n"
    "  File \"train.py\", line 7, in <module>\n"
    "    main()\n";

struct Ending {
  const char* title;
  std::string text;
  std::string error;
  std::string more = {};
  std::string advice = {};
};

void check_endings(const std::vector<Ending>& endings) {
  for (const Ending& ending : endings) {
    INFO(ending.title);
    const ErrorMessage words = find_error(ending.text);
    CHECK(words.error == ending.error);
    CHECK(words.more == ending.more);
    CHECK(words.advice == ending.advice);
    CHECK(words.saying == Certainty::kError);
  }
}

}  // namespace

TEST_CASE("the error of a Python exception is its own line, whatever follows it") {
  const std::string key = kBack + "KeyError: 'labels'\n";
  check_endings({
      {"alone", key, "KeyError: 'labels'"},
      {"without a message", kBack + "AssertionError\n", "AssertionError"},
      {"a name with dots", kBack + "torch.OutOfMemoryError: no room\n",
       "torch.OutOfMemoryError: no room"},
      {"a warning of glog",
       key + "[rank0]:[W1127 23:10:00.123 Group.cpp:96] Warning: nobody said goodbye\n",
       "KeyError: 'labels'"},
      {"a warning of Python with its line",
       key + "/lib/tracker.py:224: UserWarning: 1 leaked semaphore\n  warnings.warn('leaked')\n",
       "KeyError: 'labels'"},
      {"loggers and a tracker",
       key + "wandb: You can sync this run\nwandb: Find logs at: ./wandb\nINFO:root:closed\n",
       "KeyError: 'labels'"},
      {"what ends with it", key + "\nshutting down\nsaved 3 files\n", "KeyError: 'labels'"},
      {"a destructor that fails",
       key + "Exception ignored in: <function Pool.__del__ at 0x7f>\n" + kBack +
           "TypeError: 'NoneType' object is not callable\n",
       "KeyError: 'labels'"},
      {"an exit function that fails",
       key + "Error in atexit._run_exitfuncs:\n" + kBack + "OSError: gone\n", "KeyError: 'labels'"},
      {"a teardown that aborts",
       key + "terminate called after throwing an instance of 'c10::Error'\n  what():  driver shut "
             "down\n",
       "KeyError: 'labels'"},
      {"a thread beside it",
       key + "Exception in thread Thread-3 (pump):\n" + kBack + "ValueError: closed file\n",
       "KeyError: 'labels'"},
      {"a progress bar that is drawn last", key + " 40%|####      | 2/5 [00:01<00:02, 1.5it/s]",
       "KeyError: 'labels'"},
  });
}

TEST_CASE("when processes print into each other's traceback, one exception is the error") {
  for (const std::string& text : {kBack + kBack + "ValueError: a\nValueError: b\n",
                                  "Traceback (most recent call last):\n" + kBack +
                                      "  File \"t.py\", line 9\nValueError: a\n"}) {
    const ErrorMessage words = find_error(text);
    CHECK(words.error == "ValueError: a");
    CHECK(words.saying == Certainty::kError);
  }
  CHECK(find_error(kBack + "RuntimeError: Traceback (most recent call last):\n  File \"w.py\"\n")
            .error.starts_with("RuntimeError: Traceback"));
}

TEST_CASE("a message in a box is read without the box") {
  const ErrorMessage words = find_error(
      "Usage: train.py [OPTIONS]\nTry 'train.py --help' for help.\n"
      "╭─ Error ─────────────────────────────────╮\n"
      "│ Invalid value for '--lr': 'abc' is not  │\n"
      "│ a valid float.                          │\n"
      "╰─────────────────────────────────────────╯\n");
  CHECK(words.error == "Invalid value for '--lr': 'abc' is not");
  CHECK(words.more == "a valid float.");
}

TEST_CASE("launcher prefixes, colors and progress before an exception are removed") {
  check_endings({
      {"of torch",
       "[rank3]: Traceback (most recent call last):\n[rank3]:   File \"t.py\", line 1\n[rank3]:    "
       " "
       "f()\n[rank3]: ValueError: odd\n",
       "ValueError: odd"},
      {"of torchrun", "[default1]:" + kBack + "[default1]:ValueError: odd\n", "ValueError: odd"},
      {"colours", "\x1b[31m\x1b[1mValueError\x1b[0m\x1b[31m: odd\x1b[0m\n", "ValueError: odd"},
      {"a link of a terminal", kBack + "\x1b]8;;file:///t.py\x1b\\ValueError: odd\x1b]8;;\x07\n",
       "ValueError: odd"},
      {"a bar without an end",
       "\r  0%|          | 0/9 [00:00<?, ?it/s]\r 11%|#         | 1/9 [00:01<00:08, 1.0it/s, "
       "loss=2.1]" +
           kBack + "ValueError: odd\n",
       "ValueError: odd"},
      {"a bar in the text of the program",
       "Traceback (most recent call last):\n  File \"t.py\", line 1\n    say(\"5%| | 1/20 [0:1, "
       "9.9it/s]\"); fail()\nValueError: odd\n",
       "ValueError: odd"},
      {"a bar without a total", "42it [00:03, 13.3it/s]" + kBack + "ValueError: odd\n",
       "ValueError: odd"},
      {"a bar before plain words", " 11%|#    | 1/9 [00:01<00:08, 1.0it/s]error: no such digit",
       "error: no such digit"},
  });
}

TEST_CASE("the last exception of a chain is the error, followed by the first one") {
  const std::string because =
      "\nThe above exception was the direct cause of the following exception:\n\n";
  const std::string during =
      "\nDuring handling of the above exception, another exception occurred:\n\n";
  const std::string file = kBack + "FileNotFoundError: a.pt\n";
  check_endings({
      {"because of", file + because + kBack + "RuntimeError: cannot resume\n",
       "RuntimeError: cannot resume, caused by FileNotFoundError: a.pt"},
      {"while handling", file + during + kBack + "RuntimeError: cannot resume\n",
       "RuntimeError: cannot resume, while handling FileNotFoundError: a.pt"},
      {"of three",
       file + because + kBack + "LoadError: none\n" + because + kBack + "RuntimeError: stop\n",
       "RuntimeError: stop, caused by FileNotFoundError: a.pt"},
      {"of a worker of a data loader",
       kBack + "KeyError: Caught KeyError in DataLoader worker process 0.\nOriginal " + kBack +
           "KeyError: 'x'\n",
       "KeyError: Caught KeyError in DataLoader worker process 0: KeyError: 'x'"},
      {"of a spawned process",
       kBack +
           "torch.multiprocessing.spawn.ProcessRaisedException: \n\n-- Process 1 terminated "
           "with the following error:\n" +
           kBack + "ValueError: odd\n",
       "torch.multiprocessing.spawn.ProcessRaisedException: ValueError: odd"},
      {"of a pool",
       "multiprocessing.pool.RemoteTraceback: \n\"\"\"\n" + kBack + "ValueError: odd\n\"\"\"\n" +
           because + kBack + "ValueError: odd\n",
       "ValueError: odd"},
      {"of a launcher that reports its child",
       kBack + "ValueError: odd\nE1127 10:11:12.000 77 api.py:869] failed (exitcode: 1)\n" + kBack +
           "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n=====\ntrain.py "
           "FAILED\n-----\nRoot Cause (first observed failure):\n[0]:\n  rank : 1\n=====\n",
       "ValueError: odd"},
  });
}

TEST_CASE("an exception group is the error, with its members") {
  check_endings({
      {"two members",
       "  + Exception Group Traceback (most recent call last):\n"
       "  |   File \"t.py\", line 3, in <module>\n"
       "  |     raise ExceptionGroup(\"two\", [a, b])\n"
       "  | ExceptionGroup: two (2 sub-exceptions)\n"
       "  +-+---------------- 1 ----------------\n"
       "    | Traceback (most recent call last):\n"
       "    |   File \"t.py\", line 1, in f\n"
       "    |     raise ValueError(\"a\")\n"
       "    | ValueError: a\n"
       "    +---------------- 2 ----------------\n"
       "    | KeyError: 'b'\n"
       "    +------------------------------------\n",
       "ExceptionGroup: two (2 sub-exceptions): ValueError: a; KeyError: 'b'"},
      {"a group in a group",
       "  + Exception Group Traceback (most recent call last):\n"
       "  | ExceptionGroup: outer (1 sub-exception)\n"
       "  +-+---------------- 1 ----------------\n"
       "    | ExceptionGroup: inner (1 sub-exception)\n"
       "    +-+---------------- 1 ----------------\n"
       "      | OSError: disk\n"
       "      +------------------------------------\n",
       "ExceptionGroup: outer (1 sub-exception): OSError: disk"},
  });
}

TEST_CASE("the first line of a message is the error, and its advice follows") {
  check_endings({
      {"an assertion of the device",
       kBack +
           "RuntimeError: CUDA error: device-side assert triggered\nCUDA kernel errors might be "
           "reported later.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with "
           "`TORCH_USE_CUDA_DSA` to enable device-side assertions.\n\n",
       "RuntimeError: CUDA error: device-side assert triggered", "",
       "CUDA kernel errors might be reported later. For debugging consider passing "
       "CUDA_LAUNCH_BLOCKING=1 Compile with `TORCH_USE_CUDA_DSA` to enable device-side "
       "assertions."},
      {"advice in its first line, a fact between advices",
       kBack + "RuntimeError: Expected to have finished. Some parameters were unused. You can pass "
               "`find_unused=True`, and by \nmaking sure that all are used. \nParameter indices "
               "without gradient: 4 5\n In addition, you can set DEBUG=1\n",
       "RuntimeError: Expected to have finished. Some parameters were unused.",
       "Parameter indices without gradient: 4 5",
       "You can pass `find_unused=True`, and by making sure that all are used. In addition, you "
       "can set DEBUG=1"},
      {"what a kernel of the device asserted",
       "Loss.cu:250: loss_kernel: block: [0,0,0], thread: [3,0,0] Assertion `t < n` failed.\n" +
           kBack + "RuntimeError: CUDA error: device-side assert triggered\n",
       "RuntimeError: CUDA error: device-side assert triggered", "Assertion `t < n` failed."},
      {"what a library says below it",
       kBack +
           "torch.distributed.DistBackendError: NCCL error in: a.hpp:268\nncclRemoteError: A call "
           "failed.\nLast error:\nconnection closed by remote\nERROR: unrelated\n",
       "torch.distributed.DistBackendError: NCCL error in: a.hpp:268",
       "ncclRemoteError: A call failed. Last error: connection closed by remote"},
      {"a list behind a colon",
       kBack +
           "RuntimeError: Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict: "
           "\"a.weight\". \n\tsize mismatch for b.bias: 1000 is not 10.\n",
       "RuntimeError: Error(s) in loading state_dict for Net: Missing key(s) in state_dict: "
       "\"a.weight\". size mismatch for b.bias: 1000 is not 10."},
      {"notes", kBack + "ValueError: odd\nwhile reading shard 7\n", "ValueError: odd",
       "while reading shard 7"},
      {"memory of a device",
       kBack +
           "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. If reserved "
           "memory is large try a smaller batch.\n",
       "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.", "",
       "If reserved memory is large try a smaller batch."},
      {"hydra",
       "Error executing job with overrides: ['lr=2']\n" + kBack +
           "ValueError: odd\n\nSet the environment variable HYDRA_FULL_ERROR=1 for all of it.\n",
       "ValueError: odd", "", "Set the environment variable HYDRA_FULL_ERROR=1 for all of it."},
      {"hydra's call of a target",
       kBack + "hydra.errors.InstantiationException: Error in call to target "
               "'net.Net':\nTypeError(\"no "
               "argument a\")\nfull_key: model\n",
       "hydra.errors.InstantiationException: Error in call to target 'net.Net': TypeError(\"no "
       "argument a\") full_key: model"},
  });
}

TEST_CASE("the error in torchrun's table is that of the rank that failed first") {
  const std::string head =
      kBack + "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n";
  const std::string table = "=====\ntrain.py FAILED\n-----\nFailures:\n";
  const std::string root = "-----\nRoot Cause (first observed failure):\n[0]:\n  time      : now\n";
  const std::string error = "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ";
  check_endings({
      {"a signal, and a victim of it",
       kBack + "RuntimeError: Connection closed by peer\n" + head + table +
           "  <NO_OTHER_FAILURES>\n" + root +
           "  rank      : 5 (local_rank: 1)\n  exitcode  : -9 (pid: 7)\n  error_file: <N/A>\n"
           "  traceback : Signal 9 (SIGKILL) received by PID 7\n=====\n",
       error + "rank 5: Signal 9 (SIGKILL) received by PID 7"},
      {"an exception that was recorded, and that of another rank",
       head + table + "[1]:\n  rank      : 1 (local_rank: 1)\n  traceback : " + kBack +
           "  RuntimeError: Connection closed by peer\n  \n" + root +
           "  rank      : 0 (local_rank: 0)\n  exitcode  : 1 (pid: 7)\n  traceback : Traceback "
           "(most recent call last):\n    File \"t.py\", line 4, in main\n      raise odd\n"
           "  ValueError: odd\n  \n=====\n",
       error + "rank 0: ValueError: odd"},
      {"a group",
       head + table + root +
           "  rank      : 1 (local_rank: 1)\n  traceback :   + Exception Group Traceback (most "
           "recent call last):\n    |   File \"t.py\", line 3, in main\n    | ExceptionGroup: two "
           "(2 "
           "sub-exceptions)\n    +-+---------------- 1 ----------------\n      | ValueError: a\n"
           "      +---------------- 2 ----------------\n      | KeyError: 'b'\n"
           "      +------------------------------------\n  \n=====\n",
       error + "rank 1: ExceptionGroup: two (2 sub-exceptions): ValueError: a; KeyError: 'b'"},
      {"an exit code, and the words of two ranks",
       "[rank1]: " + std::string("Traceback (most recent call last):\n[rank1]:   File \"t.py\"\n") +
           "[rank1]: ValueError: odd\n[rank0]: Traceback (most recent call last):\n[rank0]:   File "
           "\"t.py\"\n[rank0]: RuntimeError: Connection closed by peer\n" +
           head + table + root +
           "  rank      : 1 (local_rank: 1)\n  exitcode  : 1 (pid: 7)\n  traceback : To enable "
           "traceback see: https://pytorch.org\n=====\n",
       "ValueError: odd"},
      {"nothing is known",
       head + table + root +
           "  rank      : 0 (local_rank: 0)\n  exitcode  : 1 (pid: 7)\n  traceback : To enable "
           "traceback see: https://pytorch.org\n=====\n",
       error + "rank 0: exit code 1"},
  });
}

TEST_CASE("exceptions of notebooks and of Ray workers are read") {
  check_endings({
      {"a notebook",
       "-----\nValueError                    Traceback (most recent call last)\nCell In[3], line "
       "1\n----> 1 f()\n\nFile ~/t.py:3, in f()\n      2     x = 1\n----> 3     raise odd\n\n"
       "ValueError: odd\n",
       "ValueError: odd"},
      {"Ray",
       "(RayTrainWorker pid=4009, ip=10.0.0.2) Traceback (most recent call last):\n"
       "(RayTrainWorker pid=4009, ip=10.0.0.2)   File \"t.py\", line 3, in f\n"
       "(RayTrainWorker pid=4009, ip=10.0.0.2) ValueError: odd\n",
       "ValueError: odd"},
      {"JAX",
       kBack + "ValueError: odd\n-----\nFor simplicity, JAX has removed its internal frames.\n",
       "ValueError: odd", "", "For simplicity, JAX has removed its internal frames."},
      {"a launcher's log behind advice without an end",
       kBack + "RuntimeError: odd. If this is large try X and Y\n[2024-03-20 20:31:29,210] "
               "[INFO] [launch.py:315:sigkill_handler] Killing subprocess 33\n",
       "RuntimeError: odd.", "", "If this is large try X and Y"},
  });
}

TEST_CASE("a line that only reports the end of a process is the error if there is nothing better") {
  const auto said = [](const char* text) { return find_error(text).error; };
  CHECK(said("    92%|###| 17/18 [4:43<0:57,  3.73s/it]\nfree(): double free detected in tcache 2\n"
             "Aborted (core dumped)\n") == "free(): double free detected in tcache 2");
  CHECK(said("2024-01-01 00:00:00.0: F x.cc:12] Check failed: ret == 0\nAborted (core dumped)\n") ==
        "2024-01-01 00:00:00.0: F x.cc:12] Check failed: ret == 0");
  CHECK(said("srun: error: node7: task 0: Out Of Memory\nsrun: Terminating StepId=9.0\nslurmstepd: "
             "error: *** STEP 9.0 ON node7 CANCELLED AT 2022-05-17T17:58:10 ***\n") ==
        "srun: error: node7: task 0: Out Of Memory");
  CHECK(said("step 3\nSegmentation fault (core dumped)\n") == "Segmentation fault (core dumped)");
  CHECK(said("*** SIGABRT received at time=17 on cpu 5 ***\nPC: @ 0x7f (unknown) raise\n    @     "
             "0x7f  350  (unknown)\n") == "*** SIGABRT received at time=17 on cpu 5 ***");
  check_endings({{"a shell", kBack + "ValueError: odd\nmake: *** [Makefile:3: train] Error 1\n",
                  "ValueError: odd"}});
}

TEST_CASE("errors printed by hydra and loguru are read") {
  const std::string hydra = "\n\nSet the environment variable HYDRA_FULL_ERROR=1 for all of it.\n";
  const std::string advice = "Set the environment variable HYDRA_FULL_ERROR=1 for all of it.";
  const ErrorMessage key = find_error(
      "Could not override 'lr'.\nTo append to your config use +lr=1\nKey 'lr' is not in struct\n  "
      "  full_key: lr\n    object_type=dict" +
      hydra);
  CHECK(key.error == "Could not override 'lr'.");
  CHECK(key.advice.ends_with(advice));
  const ErrorMessage call =
      find_error("Error in call to target 'net.Net':\nTypeError(\"no argument a\")" + hydra);
  CHECK(call.error == "Error in call to target 'net.Net': TypeError(\"no argument a\")");
  const ErrorMessage guru = find_error(
      "2026-01-02 03:04:05.678 | ERROR    | __main__:<module>:7 - An error has been caught\n"
      "Traceback (most recent call last):\n\n> File \"t.py\", line 7, in <module>\n    f()\n    └ "
      "<function f at 0x7f>\n\n  File \"t.py\", line 5, in f\n    raise ValueError(\"odd\")\n\n"
      "ValueError: odd\n");
  CHECK(guru.error == "ValueError: odd");
}

TEST_CASE("an exception in rich's box is read, and its wrapped lines are joined") {
  check_endings({
      {"a box",
       "╭───── Traceback (most recent call last) ─────╮\n"
       "│ train.py:3 in <module>                      │\n"
       "│ ❱ 3 main()                                  │\n"
       "╰─────────────────────────────────────────────╯\n"
       "ValueError: batch size must be positive\n\n",
       "ValueError: batch size must be positive"},
      {"a box of ASCII",
       "+---- Traceback (most recent call last) ----+\n"
       "| train.py:3 in <module>                    |\n"
       "+-------------------------------------------+\n"
       "ValueError: a long sentence that does not fit into one line of a small\n"
       "terminal and goes on\n\n",
       "ValueError: a long sentence that does not fit into one line of a small terminal and goes "
       "on"},
  });
}

TEST_CASE("an uncaught C++ exception is the error, not its stack") {
  const std::string thrown = "terminate called after throwing an instance of 'c10::Error'\n";
  check_endings({
      {"with its stack",
       thrown +
           "  what():  NCCL error: no such port\nCompile with X to see more.\nException raised "
           "from f at f.cpp:12 (most recent call first):\nframe #0: c10::Error::Error() + 0x57\n",
       "c10::Error: NCCL error: no such port", "", "Compile with X to see more."},
      {"without words", "terminate called after throwing an instance of 'int'\n", "int"},
      {"its words alone", "  what():  std::bad_alloc\n\n", "std::bad_alloc"},
      {"of libc++",
       "libc++abi: terminating due to uncaught exception of type std::runtime_error: odd\n",
       "std::runtime_error: odd"},
      {"a fault in Python",
       "Fatal Python error: Segmentation fault\n\nCurrent thread 0x7f (most recent call first):\n  "
       "File \"t.py\", line 1 in f\n",
       "Fatal Python error: Segmentation fault"},
  });
}

TEST_CASE("without an exception a line in the format of an error is quoted") {
  check_endings({
      {"argparse", "usage: train.py [-h] [--lr LR]\ntrain.py: error: argument --lr: no float\n",
       "train.py: error: argument --lr: no float"},
      {"a syntax error", "  File \"t.py\", line 1\n    def f(:\n          ^\nSyntaxError: bad\n",
       "SyntaxError: bad"},
      {"Rust",
       "thread 'main' panicked at src/main.rs:2:5:\nindex out of bounds\nnote: run with "
       "`RUST_BACKTRACE=1`\n",
       "thread 'main' panicked at src/main.rs:2:5: index out of bounds", "",
       "note: run with `RUST_BACKTRACE=1`"},
      {"a logger", "2026-01-02 03:04:05 INFO begin\n2026-01-02 03:04:06 ERROR no data here\nbye\n",
       "2026-01-02 03:04:06 ERROR no data here", "bye"},
  });
}

TEST_CASE("an exception after which the program continued for long is not the reason of its end") {
  std::string text = kBack + "ValueError: one bad picture\n\n";
  for (int step = 0; step < 30; ++step) text += "step " + std::to_string(step) + " is done\n";
  const ErrorMessage words = find_error(text + "the disk is full\n");
  CHECK(words.error == "the disk is full");
  CHECK(words.saying == Certainty::kLine);
}

TEST_CASE("plain text can be the error, preferably a line that reports a problem") {
  const auto said = [](const char* text) { return find_error(text); };
  CHECK(said("data folder /data does not exist\n").error == "data folder /data does not exist");
  CHECK(said("reading\n\nCould not override 'lr'.\nTo append use +lr=1\nKey 'lr' is odd\n").error ==
        "Could not override 'lr'.");
  CHECK(said("bye\n").saying == Certainty::kLine);
  CHECK(said("step 3, training error: 0.2\nbye\n").error == "bye");
  CHECK(said("t.py:3: UserWarning: old\n  old()\n").saying == Certainty::kIdle);
  CHECK(said("Error loading x.so\n").saying == Certainty::kTrouble);
  CHECK(said("").saying == Certainty::kNothing);
  CHECK(said("\n \n").saying == Certainty::kNothing);
  CHECK(said("Traceback (most recent call last):\n  File \"t.py\"\n").saying != Certainty::kError);
}

TEST_CASE("an error of megabytes is cut between characters") {
  const ErrorMessage words =
      find_error(kBack + "ValueError: " + std::string(3'000'000, 'x') + "\n");
  CHECK(words.error == "ValueError: " + std::string(288, 'x') + "...");
}

TEST_CASE("standard output is searched if the error stream has no error") {
  const std::string where = "attempt_0/rank_0";
  CHECK(quoted_error("ValueError: odd\n", "step 3\n", where).text ==
        "\"ValueError: odd\" (attempt_0/rank_0/stderr)");
  CHECK(quoted_error("", "step 3\nTraceback: loss is nan, aborting\n", where).text ==
        "\"Traceback: loss is nan, aborting\" (attempt_0/rank_0/stdout)");
  CHECK(quoted_error("bye\n", "step 3\n", where).text ==
        "\"bye\" (last line of attempt_0/rank_0/stderr)");
  CHECK(quoted_error("bye\n", "ERROR: no data\n", where).text ==
        "\"ERROR: no data\" (attempt_0/rank_0/stdout)");
  CHECK(quoted_error("", "", where).text.empty());
}

TEST_CASE("a program that needs a terminal or input is explained what a rank has") {
  const std::string where = "attempt_0/rank_0";
  const std::string stty = "stty: 'standard input': Inappropriate ioctl for device\n";
  CHECK(quoted_error(stty + kBack + "ValueError: not enough values\n", "", where).text ==
        "\"ValueError: not enough values\" (attempt_0/rank_0/stderr); it asks for a terminal: "
        "ringside run --tty makes standard input one");
  CHECK(quoted_error(stty + kBack + "KeyError: 'x'\n", "", where).text.ends_with("stderr)"));
  CHECK(quoted_error(kBack + "EOFError: Ran out of input\n", "", where).text.ends_with("stderr)"));
  CHECK(quoted_error(kBack + "EOFError: EOF when reading a line\n", "", where)
            .text.ends_with("; a rank has no terminal: give it what it asks for as an option"));
  CHECK(quoted_error(kBack + "ValueError: x\n", "", where).text.ends_with("stderr)"));
}

TEST_CASE("a message with advice is split, the error first") {
  const ErrorMessage words = words_of_message("CUDA error: assert\nFor debugging pass X=1\n");
  CHECK(words.error == "CUDA error: assert");
  CHECK(error_text(words) == "CUDA error: assert; its advice: \"For debugging pass X=1\"");
  CHECK(words_of_message("a: b\nc").more == "c");
  CHECK(words_of_message("  \n").error.empty());
}

TEST_CASE("the collective is found in the stack frames of a failed rank") {
  const std::string library = "  File \"/lib/torch/distributed/";
  const std::string broken = "RuntimeError: Connection closed by peer\n";
  CHECK(find_error(kBack + library + "c10d_logger.py\", line 83, in wrapper\n" + library +
                   "distributed_c10d.py\", line 4811, in barrier\n    work.wait()\n" + broken)
            .collective == "barrier");
  CHECK(find_error(kBack +
                   "  File \"/lib/torch/autograd/graph.py\", line 8, in "
                   "_engine_run_backward\n    return f()\n" +
                   broken)
            .collective == "backward");
  CHECK(find_error(kBack + broken).collective.empty());
}

TEST_CASE("output is read as lines that a person would see") {
  using Lines = std::vector<std::string>;
  CHECK(printed_lines("a\r\n\x1b[1mb\x1b[0m\nold\rnew") == Lines{"a", "b", "new"});
  CHECK(printed_lines("[rank12]: x\n[1,0]<stderr>:y\n[rankle] z\n") ==
        Lines{"x", "y", "[rankle] z"});
  CHECK(printed_lines("  5%|#  | 1/20 [00:01<00:19, 1.0s/it]\n") == Lines{""});
}
