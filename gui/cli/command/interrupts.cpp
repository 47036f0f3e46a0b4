#include "gui/cli/command/interrupts.h"

#include <signal.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>

#include "gui/cli/print/terminal.h"
#include "protocol/base/clock.h"

namespace ringside::cli {
namespace {

std::atomic<int> interrupt_count{0};
std::atomic<int> interrupt_signal{0};
std::atomic<bool> leave{false};
std::atomic<std::int64_t> merged_ns{0};  // signals within this time count as one
std::atomic<std::int64_t> counted_ns{0};

void on_interrupt(int signal) {
  const std::int64_t now_ns = mono_now_ns();
  if (interrupt_count > 0 && now_ns - counted_ns < merged_ns) return;
  counted_ns = now_ns;
  interrupt_signal = signal;
  ++interrupt_count;
}

void on_leave(int signal) {
  interrupt_signal = signal;
  leave = true;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction before {};
  ::sigaction(signal, nullptr, &before);
  if (signal == SIGHUP && before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

Interrupts::Interrupts() {
  for (const int signal : {SIGINT, SIGTERM}) handle(signal, on_interrupt);
  for (const int signal : {SIGHUP, SIGQUIT}) handle(signal, on_leave);
}

void Interrupts::merge_bursts() const { merged_ns = 1'000'000'000; }
int Interrupts::count() const { return interrupt_count; }
bool Interrupts::leaving() const { return leave; }
int Interrupts::last_signal() const { return interrupt_signal; }

int gave_up(const Interrupts& interrupts, std::string_view what) {
  print(stderr, "Interrupted: " + std::string(what) + ".\n");
  return interrupts.exit_code();
}

int not_done(const Interrupts& interrupts, const Error& error, std::string_view what) {
  return interrupts.any() ? gave_up(interrupts, what) : report(error);
}

}  // namespace ringside::cli
