import Synchronization

/// Counts the runs of a body that may be repeated.
final class RunCount: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }

  /// 1 for the first call.
  func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
