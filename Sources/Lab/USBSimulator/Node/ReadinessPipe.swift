internal import Glibc
internal import Links
internal import POSIX

/// The node of a device as programs open it: a pipe with a name, on which `poll` for writing means that a transfer has
/// ended, as on a node of usbfs. It is full while none has ended.
///
/// umockdev expects a regular file, on which `poll` is always ready, so that libusb would never wait. A pseudo-terminal
/// would do too, but the access rules of `tap-nfc` deny /dev/pts.
struct ReadinessPipe: ~Copyable, Sendable {
  private let pipe: Descriptor
  private var isFull = false

  /// Creates the node at a path.
  init(at path: String) throws(LinkError) {
    // The system copies the path.
    guard unsafe mkfifo(path, 0o600) == 0 else {
      throw LinkError(.transmissionFailed, "cannot create the node \(path) of a simulated USB device: \(SystemError())")
    }
    do throws(SystemError) {
      pipe = try Descriptor(opening: path, O_RDWR | O_NONBLOCK)
    } catch { throw LinkError(.transmissionFailed, "cannot open the node \(path): \(error)") }
    // Few bytes fill a pipe of one page.
    _ = fcntl(pipe.number, Self.setSize, 4096)
    setReady(false)
  }

  /// F_SETPIPE_SZ of Linux (linux/fcntl.h), which Glibc does not import.
  private static let setSize: Int32 = 1031

  /// Lets programs find a transfer that has ended, or not.
  mutating func setReady(_ isReady: Bool) {
    guard isReady == isFull else { return }
    var page = [UInt8](repeating: 0, count: 4096)
    // The kernel reads or writes at most as many bytes as the array has. Neither call blocks.
    if isReady {
      while unsafe read(pipe.number, &page, page.count) > 0 {}
    } else {
      while unsafe write(pipe.number, page, page.count) > 0 {}
    }
    isFull = !isReady
  }
}
