public import DeviceAuthentication
public import Octets
internal import Synchronization

/// Waits for the loss of a key on a clock that this function advances by 1 ms again and again.
///
/// - Parameters:
///   - timer: The clock of the store, on which nothing else sleeps.
///   - change: Makes the key unusable. It is called when the store has just been read.
/// - Returns: The time on the clock from the change to the end of the wait, or 1 s when it did not end by then.
public func lossTime(
  of key: KeyIdentifier, in keys: any ProtectedKeyStore, on timer: ManualClock, after change: () async throws -> Void
) async throws -> Duration {
  let end = WaitEnd()
  let waiting = Task {
    defer { end.note() }
    try await keys.waitForLoss(of: key)
  }
  defer { waiting.cancel() }
  await until { timer.sleeperCount == 1 }
  try await change()
  let start = timer.now
  while !end.isNoted, timer.now - start < .seconds(1) {
    timer.advance(by: .milliseconds(1))
    await until { timer.sleeperCount == 1 || end.isNoted }
  }
  let time = timer.now - start
  if end.isNoted { try await waiting.value }
  return time
}

private final class WaitEnd: Sendable {
  private let hasEnded = Mutex(false)

  var isNoted: Bool { hasEnded.withLock { $0 } }

  func note() { hasEnded.withLock { $0 = true } }
}
