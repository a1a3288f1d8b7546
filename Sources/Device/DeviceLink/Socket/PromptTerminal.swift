internal import Glibc

/// An open terminal on which a device asks for the passcode. A program passes it to its device with the request, so
/// that the passcode goes from the terminal to the device and never through the program.
public final class PromptTerminal: Sendable {
  /// The descriptor, valid as long as this object.
  public let descriptor: Int32

  /// Takes ownership of a descriptor, which is closed in `deinit`.
  public init(owning descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Whether the descriptor is a terminal.
  public var isTerminal: Bool { isatty(descriptor) == 1 }
}
