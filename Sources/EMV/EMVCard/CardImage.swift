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
    /// Tag 5F34; 0 when a card that has only a mag-stripe mode does not say it.
    public let sequenceNumber: UInt8
    /// How it makes cryptograms.
    public let cryptogramVersion: CryptogramVersion
    /// What it asks of the terminal at GET PROCESSING OPTIONS.
    public let pdol: DataObjectList
    /// What it asks for at GENERATE AC, tag 8C; nil when there is no such command.
    public let cdol1: DataObjectList?
    /// What it asks for at COMPUTE CRYPTOGRAPHIC CHECKSUM, tag 9F69; nil when there is no mag-stripe mode.
    public let udol: DataObjectList?
    /// Tag 9F6B before digits are filled in, the basis of the codes for track 2; nil when there is no mag-stripe mode.
    public let track2Data: [UInt8]?
    /// Where a terminal fills digits into track 2: tags 9F65, 9F66 and 9F67; nil when there is no mag-stripe mode.
    public let track2Positions: TrackPositions?
    /// Tag 56 before digits are filled in; nil when there is no mag-stripe mode or none for track 1.
    public let track1Data: [UInt8]?
    /// Where a terminal fills digits into track 1: tags 9F62, 9F63 and 9F64; nil where `track1Data` is.
    public let track1Positions: TrackPositions?
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
    try self.init(profile, json: nil, problems: [])
  }

  /// Reads, checks and compiles a profile.
  public convenience init(json: [UInt8]) throws(CardProfileError) {
    let (profile, problems) = try CardProfile.read(json)
    try self.init(profile, json: json, problems: problems)
  }

  private init(
    _ profile: CardProfile, json: [UInt8]?, problems: [CardProfileError.Problem]
  ) throws(CardProfileError) {
    var compiler = ImageCompiler()
    let compiled = try compiler.compile(profile, problems)
    name = profile.name
    applications = compiled.applications
    images = compiled.images
    directoryName = compiled.directoryName
    directoryResponse = compiled.directory
    arena = Arena(compiler.octets)
    self.json = json
  }
}
