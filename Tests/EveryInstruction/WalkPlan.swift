/// At which positions a walk stops.
struct WalkPlan {
  /// Every how many instructions, beside each system call.
  let every: Int
  /// The most instructions that all visits of one row execute, for a long command.
  let budget: Int

  /// - Parameter share: Which part of the positions a row has: 1 for all of them.
  func positions(of path: [SteppedThread.Place], share: Int = 1) -> [Int] {
    let length = path.count - 1
    let stride = max(every * share, length / 2 * length / (budget / share) + 1)
    return path.indices.filter { $0 % stride == 0 || $0 == length || path[$0].call != nil }
  }
}
