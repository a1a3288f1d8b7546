public import Documents
public import JSON
internal import Octets

/// What a terminal under test has and takes: the file of `tap test --capabilities`, in YAML or JSON. `Fixtures/Capabilities`
/// describes its keys.
public struct TestedCapabilities: Hashable, Sendable {
  /// A kernel.
  public struct Kernel: Hashable, Sendable {
    /// The number, such as 3.
    public let number: Int
    /// The version; nil when it is not known.
    public let version: String?
  }

  /// AIDs that share a kernel and limits.
  public struct Application: Hashable, Sendable {
    /// Whole AIDs or beginnings of AIDs.
    public let aids: [[UInt8]]
    /// The number of the kernel.
    public let kernel: Int
    /// Tag 9F66; nil when it is not known, or the kernel has none.
    public let qualifiers: [UInt8]?
    /// The limits by the letters of a currency, each as an amount in the main unit of the currency.
    public let limits: [String: [TestAmount.Limit: String]]
  }

  /// A method of cardholder verification.
  public enum Verification: String, CaseIterable, Sendable {
    case onDevice, onlinePIN, signature, none
  }

  /// The public key of a certification authority.
  public struct AuthorityKey: Hashable, Sendable {
    /// The provider, five bytes.
    public let provider: [UInt8]
    /// Tag 8F.
    public let index: UInt8
  }

  /// The name of the terminal.
  public let product: String
  /// The version of its software; nil when it is not known.
  public let version: String?
  /// The kernels.
  public let kernels: [Kernel]
  /// The applications.
  public let applications: [Application]
  /// The letters of the currencies.
  public let currencies: [String]
  /// The methods of cardholder verification; empty when they are not known.
  public let verifications: [Verification]
  /// The keys for offline data authentication; nil when they are not known.
  public let authorityKeys: [AuthorityKey]?
  /// Whether a person sees results at the terminal.
  public let hasDisplay: Bool
  /// The file as JSON.
  public let json: JSONValue

  /// The application that takes a card's application; of several, the one with the longest AID.
  func application(for aid: [UInt8]) -> Application? {
    let lengths = applications.compactMap { application in
      application.aids.filter { aid.starts(with: $0) }.map(\.count).max().map { (application, $0) }
    }
    return lengths.max { $0.1 < $1.1 }?.0
  }
}

/// All problems of a capabilities file.
public struct TestedCapabilitiesError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The problems, in the order of the file.
  public let problems: [DocumentProblem]

  /// A line for each problem, with line, column and path.
  public var description: String {
    "the capabilities have \(problems.count.counted("problem")):\n"
      + problems.map { "  \($0)" }.joined(separator: "\n")
  }
}
