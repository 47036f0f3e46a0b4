// How often the window draws new data, so that it takes no core from ranks that compute on this
// host's processors. A frame that input asks for is never put off. Pure.
#pragma once

namespace ringside::window {

/// Seconds between the beginnings of two frames for new data: a thirtieth, and where ranks compute
/// on processors that are full so many that frames take a fiftieth of one core, but at most one.
/// `frame_cpu_s`: processor time that the last frame took, all threads.
double data_frame_s(double frame_cpu_s, bool full);

}  // namespace ringside::window
