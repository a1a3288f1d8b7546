#if LinuxDevice
  internal import CSDBus
  internal import Glibc

  /// A descriptor that becomes readable once, so that a thread that waits for several descriptors can be woken.
  final class WakeUp: Sendable {
    /// Readable after `signal`.
    let descriptor: Int32

    /// Nil when the process has no free descriptor.
    init?() {
      descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
      if descriptor < 0 { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func signal() {
      var one: UInt64 = 1
      _ = unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
    }
  }
#endif
