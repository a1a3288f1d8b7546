public import EMVCryptography
public import EMVData
public import ISO7816
internal import Octets

/// A card profile compiled: ready-made responses in one arena, immutable, shared by all sessions, never secret.
public final class CardImage: Sendable {
  /// What a wallet and an issuer need to know of an application.
  public struct Application: Sendable {
    /// The application identifier.
    public let aid: AID
    /// Tag 50.
    public let label: String
    /// Which kernel reads it.
    public let kernel: CardProfile.Kernel
    /// The account number of its records.
    public let accountNumber: PrimaryAccountNumber
    /// Tag 5F34.
    public let sequenceNumber: UInt8
    /// How it makes cryptograms.
    public let cryptogramVersion: CryptogramVersion
    /// What it asks of the terminal.
    public let pdol: DataObjectList
    /// The first transaction counter.
    public let firstATC: UInt16
    /// How many payments a provisioned key is good for.
    public let uses: Int
  }

  /// A name for people.
  public let name: String
  /// The applications, in the order of the profile.
  public let applications: [Application]
  /// The profile it was read from, for a store that compiles it again; nil when it was compiled from a value.
  public let json: [UInt8]?

  let arena: Arena
  let directoryName: ArenaSlice
  let directoryResponse: ArenaSlice
  let images: [ApplicationImage]

  /// Checks and compiles a profile.
  ///
  /// - Throws: `CardProfileError` with all problems.
  public convenience init(compiling profile: CardProfile) throws(CardProfileError) {
    try self.init(profile, json: nil)
  }

  /// Reads, checks and compiles a profile.
  public convenience init(json: [UInt8]) throws(CardProfileError) {
    try self.init(CardProfile(json: json), json: json)
  }

  private init(_ profile: CardProfile, json: [UInt8]?) throws(CardProfileError) {
    var compiler = ImageCompiler()
    let compiled = try compiler.compile(profile)
    name = profile.name
    applications = compiled.applications
    images = compiled.images
    directoryName = compiled.directoryName
    directoryResponse = compiled.directory
    arena = Arena(compiler.octets)
    self.json = json
  }
}
