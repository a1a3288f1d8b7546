public import Documents
public import EMVData
public import ISO7816
public import JSON
internal import Octets

/// The registration of a kernel: what a terminal must know to use it. Each kernel has one, in its own folder;
/// `TerminalConfiguration.kernels` lists the kernels of this package, and another list can be given in its place.
public struct KernelDefinition: Sendable {
  /// A phase that a kernel adds.
  public struct Phase: Hashable, Sendable {
    /// The phase.
    public let phase: TransactionPhase
    /// A short name that scenarios accept, such as `rrp`: letters and digits in lower case.
    public let shortName: String

    /// Creates the registration of a phase.
    public init(_ phase: TransactionPhase, shortName: String) {
      self.phase = phase
      self.shortName = shortName
    }
  }

  /// Tag 9F2A of a directory entry, and `kernel` of an application in a terminal profile.
  public let identifier: KernelIdentifier
  /// The keys that this kernel reads from an application of a terminal profile. A key that neither the terminal nor the
  /// kernel reads is a problem of the profile.
  public let profileKeys: [ProfileKey]
  /// The phases that this kernel adds, in the order of a tap.
  public let phases: [Phase]
  /// The most commands that one activation sends, 1 or more.
  public let maximumCommandCount: Int
  /// Reads the kernel's keys of an application. Problems are noted in the reader; the substitute for a wrong
  /// value is never used.
  public let read: @Sendable (_ application: inout ObjectReader, _ currencies: [Currency]) -> any ConfiguredKernel
  /// Returns keys of an application with which the kernel sends the data of a recorded terminal. Used for recordings
  /// without a terminal profile.
  public let recordedMembers: @Sendable (_ recorded: (Tag) -> [UInt8]?) -> [JSONValue.Member]

  /// Creates a registration.
  ///
  /// - Parameters:
  ///   - maximumCommandCount: The default is every record that a locator can name, and ten more commands.
  ///   - recordedMembers: The default changes nothing.
  public init(
    _ identifier: KernelIdentifier, profileKeys: [ProfileKey] = [], phases: [Phase] = [],
    maximumCommandCount: Int = ApplicationFileLocator.maximumRecords + 10,
    recordedMembers: @escaping @Sendable (_ recorded: (Tag) -> [UInt8]?) -> [JSONValue.Member] = { _ in [] },
    read: @escaping @Sendable (_ application: inout ObjectReader, _ currencies: [Currency]) -> any ConfiguredKernel
  ) {
    self.identifier = identifier
    self.profileKeys = profileKeys
    self.phases = phases
    self.maximumCommandCount = maximumCommandCount
    self.recordedMembers = recordedMembers
    self.read = read
  }

  // The key of a profile that holds a data element of the terminal; none when it was not recorded.
  static func recordedMembers(
    _ path: String, _ tag: Tag
  ) -> @Sendable (_ recorded: (Tag) -> [UInt8]?) -> [JSONValue.Member] {
    { recorded in recorded(tag).map { [JSONValue.Member(path, JSONValue($0.hex))] } ?? [] }
  }
}
