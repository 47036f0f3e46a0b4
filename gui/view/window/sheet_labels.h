// Labels of sheets, questions and messages, for the window that draws them and the tests that press
// them. Constants.
#pragma once

namespace ringside::view::label {

// The question before a stop.
inline constexpr const char* kCheckpointAndStop = "Checkpoint and stop";
inline constexpr const char* kStopNow = "Stop now…";
inline constexpr const char* kKeepTraining = "Keep training";
inline constexpr const char* kLeaveQueue = "Leave the queue";
inline constexpr const char* kKeepWaiting = "Keep waiting";
inline constexpr const char* kAskToEnd = "Stop##question";

// Settings of the window.
inline constexpr const char* kSettings = "Settings";
inline constexpr const char* kDark = "Dark";
inline constexpr const char* kLight = "Light";
inline constexpr const char* kSpeedupDock = "Speedup and breakdown";
inline constexpr const char* kRanksDock = "Rank table";
inline constexpr const char* kLogDock = "Log";
inline constexpr const char* kResetLayout = "Reset layout";
inline constexpr const char* kResetWindow = "Reset window";
inline constexpr const char* kClose = "Close";

// Opening and importing a run folder.
inline constexpr const char* kOpenInPlace = "Open in place";
inline constexpr const char* kImport = "Import a copy";
inline constexpr const char* kBrowse = "Browse…";

// Settings of alerts; text after ## makes ids unique and is not drawn.
inline constexpr const char* kDesktopNotifications = "Desktop notifications";
inline constexpr const char* kUseCommand = "Use##alert command";
inline constexpr const char* kTryAlerts = "Test##alerts";
inline constexpr const char* kCloseAlerts = "Close##alerts";

// The checks of this machine.
inline constexpr const char* kDoctor = "Doctor…";
inline constexpr const char* kRunAgain = "Run again##doctor";
inline constexpr const char* kCheckTraining = "Check training##doctor";
inline constexpr const char* kCheckGpus = "Check GPUs##doctor";
inline constexpr const char* kCancelChecks = "Cancel##doctor";
inline constexpr const char* kCopyChecks = "Copy##doctor";
inline constexpr const char* kCloseDoctor = "Close##doctor";

// Messages and their buttons.
inline constexpr const char* kCloseMessage = "Close##message";
inline constexpr const char* kUndo = "Undo";
inline constexpr const char* kCancel = "Cancel";
inline constexpr const char* kReplace = "Replace";
inline constexpr const char* kOpenExported = "Open";
inline constexpr const char* kCopyPath = "Copy path";

}  // namespace ringside::view::label
