internal import Crypto
internal import Glibc

/// Facts about the client, available before it is initialised.
public enum MetaData {
  /// The version of this library.
  public static let mobileAuthenticationVersion = "1.0.0"

  /// The facet identifier of an application, in the form of the iOS applications of the protocol.
  ///
  /// - Parameter name: The name of the application, such as `tap-wallet`.
  public static func applicationFacetID(_ name: String) -> String { "ios:bundle-id:\(name)" }

  /// SHA-256 of the executable of this process, 32 bytes: the identity of a program that is not signed. Nil when the
  /// executable cannot be read.
  ///
  /// Blocks to read the executable.
  public static func programDigest() -> [UInt8]? {
    let descriptor = unsafe open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var hash = SHA256()
    var part = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = unsafe part.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      guard count >= 0 else { return nil }
      guard count > 0 else { return [UInt8](hash.finalize()) }
      hash.update(data: part.prefix(count))
    }
  }
}
