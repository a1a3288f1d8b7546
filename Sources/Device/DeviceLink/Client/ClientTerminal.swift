internal import DeviceAuthentication
internal import Glibc

/// The terminal of this process, while its device asks for the passcode on it.
///
/// The device switches the echo off and on again. When it ends before that, `deinit` restores the settings.
final class ClientTerminal: @unchecked Sendable {
  // @unchecked: the fields are constant; the C structure of the settings is not declared Sendable.
  let descriptor: Int32
  private let settings: termios

  /// - Throws: `.unavailable` when the path is not a terminal.
  init(_ path: String) throws(DeviceAuthenticationError) {
    // The call only reads the path.
    descriptor = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    var settings = termios()
    // The call fills the structure of this frame; it fails for a negative descriptor.
    let result = unsafe tcgetattr(descriptor, &settings)
    self.settings = settings
    guard result == 0 else {
      throw .unavailable(reason: "\(path) is no terminal to ask for the passcode on: run this program in a terminal")
    }
  }

  deinit {
    guard descriptor >= 0 else { return }
    var settings = settings
    // The call reads the structure of this frame.
    unsafe tcsetattr(descriptor, TCSANOW, &settings)
    close(descriptor)
  }
}
