internal import ISO7816

/// The proximity payment system environment (PPSE): the directory in which a card lists its contactless applications
/// (EMV Contactless Book B, 3.3.2 and table 3-2).
///
/// `6F { 84, A5 { BF0C { 61 { 4F, 50, 87, 9F2A, ... } ... } } }`. Data objects that are unknown here are permitted.
public enum ProximityPaymentSystemEnvironment {
  /// The longest directory, in bytes: the data of one short response.
  public static let maximumCount = 256
  /// The lengths that tag 9F2A can have, in bytes (EMV Contactless Book B, 3.3.2.5).
  public static let kernelIdentifierCounts = 1...8

  /// Checks the response data of SELECT 2PAY.SYS.DDF01, without a status word. Lengths must have their shortest form.
  ///
  /// - Throws: `ProximityPaymentSystemEnvironmentError` with all problems.
  public static func check(_ octets: [UInt8]) throws(ProximityPaymentSystemEnvironmentError) {
    var check = DirectoryCheck()
    check.count(octets.count)
    do throws(TLVError) {
      check.template(try [TLVNode](parsing: octets.span, rules: .strict))
    } catch {
      check.report("", "\(error)")
    }
    guard check.problems.isEmpty else { throw ProximityPaymentSystemEnvironmentError(check.problems) }
  }
}

/// All problems of a directory.
public struct ProximityPaymentSystemEnvironmentError: Error, Equatable, Sendable, CustomStringConvertible {
  /// One problem.
  public struct Problem: Equatable, Sendable, CustomStringConvertible {
    /// The place, such as `6F.A5.BF0C.61[1].4F`; empty for the whole directory.
    public let path: String
    /// The value and the limit.
    public let message: String

    /// The place and the problem.
    public var description: String { path.isEmpty ? message : "\(path): \(message)" }
  }

  /// All problems, in the order in which they were found.
  public let problems: [Problem]

  init(_ problems: [Problem]) { self.problems = problems }

  /// A sentence with all problems.
  public var description: String {
    "the directory (PPSE) cannot be used: " + problems.map(\.description).joined(separator: "; ")
  }
}
