/// The right to count reservations of a store on the device, until the lock is released with its last reference.
///
/// A wallet holds it from the comparison of both counts until the device has counted the reservation.
public final class CountingLock: Sendable {
  private let release: @Sendable () -> Void

  /// Creates a lock that a store has taken.
  ///
  /// - Parameter release: Called once, on the thread that drops the last reference. It must not block.
  public init(release: @escaping @Sendable () -> Void) {
    self.release = release
  }

  deinit { release() }
}
