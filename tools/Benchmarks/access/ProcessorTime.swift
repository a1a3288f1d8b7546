import Foundation

/// Processor time in seconds.
enum ProcessorTime {
  struct Unreadable: Error {
    let text: String
  }

  /// The processor time of this process so far.
  static func ofProcess() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The processor time of all processes and of the kernel so far (`proc(5)`, the first line of `/proc/stat`).
  static func ofMachine() throws -> Double {
    let text = try String(contentsOfFile: "/proc/stat", encoding: .utf8)
    // user, nice, system, idle, iowait, irq, softirq
    let ticks = text.prefix { $0 != "\n" }.split(separator: " ").dropFirst().prefix(7).compactMap { Double($0) }
    guard ticks.count == 7 else { throw Unreadable(text: String(text.prefix(80))) }
    return (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
