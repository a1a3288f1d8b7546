internal import DeviceLink
internal import Glibc

/// The device of a wallet, as the option `--device` names it.
package enum DeviceChoice: Equatable, Sendable {
  /// A simulated device, whose state is in a file.
  case simulated(file: String)
  /// The device of this machine, which `tap-device` serves on a socket.
  case linux(socket: String)

  /// The forms of the option, for its help text.
  package static let forms = """
    the file of a simulated device (DIR/device when left out), or linux or linux:SOCKET for the device of this machine, \
    which tap-device serves.
    """
  private static let linuxName = "linux"

  /// Reads the value of the option; nil is the file in the wallet's folder.
  package init(_ text: String?, ofWalletIn directory: String) {
    let parts = text?.split(separator: ":", maxSplits: 1) ?? []
    switch (text, parts.count) {
    case (Self.linuxName, _): self = .linux(socket: DeviceLinkClient.defaultSocket(user: getuid()))
    case (_, 2) where parts[0] == Self.linuxName: self = .linux(socket: String(parts[1]))
    default: self = .simulated(file: text ?? directory + "/device")
    }
  }
}
