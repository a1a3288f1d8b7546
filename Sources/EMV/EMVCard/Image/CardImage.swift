public import Ciphers
public import EMVCryptography
public import EMVData
public import ISO7816
internal import Octets

/// A card profile compiled: ready-made responses in one arena, immutable, shared by all sessions, never secret.
public final class CardImage: Sendable {
  /// The most bytes that a wallet adds to tag 9F10.
  static let maximumWalletDataCount = 14

  /// The facts of an application that a wallet and an issuer need.
  public struct Application: Sendable {
    /// The application identifier.
    public let aid: AID
    /// Tag 50.
    public let label: String
    /// The name of its scheme, `kernel` of the profile.
    public let scheme: String
    /// The account number of its records.
    public let accountNumber: PrimaryAccountNumber
    /// Tag 5F34; 0 when a card that has only a mag-stripe mode does not give it.
    public let sequenceNumber: UInt8
    /// How it makes cryptograms.
    public let cryptogramVersion: CryptogramVersion
    /// The values that it asks for at GET PROCESSING OPTIONS.
    public let pdol: DataObjectList
    /// The values that it asks for at GENERATE AC, tag 8C; nil when it does not have the command.
    public let cdol1: DataObjectList?
    /// The values that it asks for at COMPUTE CRYPTOGRAPHIC CHECKSUM, tag 9F69; nil when it has no mag-stripe mode.
    public let udol: DataObjectList?
    /// Tag 9F6B before digits are filled in, the basis of the codes for track 2, with the positions of tags 9F65, 9F66
    /// and 9F67; nil when it has no mag-stripe mode.
    public let track2: MagStripeTrack?
    /// Tag 56 before digits are filled in, with the positions of tags 9F62, 9F63 and 9F64; nil when it has no mag-stripe
    /// mode or no track 1.
    public let track1: MagStripeTrack?
    /// The key with which it signs, as its certificate gives it; nil when it makes no signatures.
    public let signingKey: RSAPublicKey?
    /// The payments that it approves without its issuer; nil for none.
    public let offlineApproval: OfflineApproval?
    /// Whether it authenticates the issuer's response: tag 91.
    public let authenticatesIssuer: Bool
    /// Whether it takes issuer scripts.
    public let takesScripts: Bool
    /// The tags whose values scripts replace (PUT DATA), with the number of bytes of each value.
    public let writableValues: [Tag: Int]
    /// Whether it goes on after an ARQC: it takes its issuer's response.
    public let awaitsIssuer: Bool
    /// Whether it takes the response in a second presentment too.
    public let startsAgain: Bool
    /// Whether a terminal can recover a response to GENERATE AC that it lost (RECOVER AC): with tag 9F51.
    public let canRecover: Bool
    /// Whether its responses have room for bytes of the wallet. See `Arming`.
    public let takesWalletData: Bool
    /// The first transaction counter.
    public let firstATC: UInt16
    /// The number of payments of a provisioned key.
    public let uses: Int

    init?(
      aid: [UInt8], label: String, _ scheme: CardScheme, _ builder: ApplicationBuilder, _ account: ApplicationAccount,
      firstATC: UInt16, uses: Int
    ) {
      guard let aid = AID(aid), let number = account.number, let sequence = account.sequenceNumber else {
        return nil
      }
      guard let version = builder.cryptogramVersion else {
        preconditionFailure("a scheme sets the cryptogram version of an application")
      }
      self.aid = aid
      self.label = label
      self.scheme = scheme.name
      accountNumber = number
      sequenceNumber = sequence
      cryptogramVersion = version
      pdol = builder.pdol
      cdol1 = builder.values(.generateCryptogram)
      udol = builder.values(.computeChecksum)
      track2 = builder.track2
      track1 = builder.track1
      signingKey = builder.signingKey.flatMap { key in builder.commands.contains(where: \.signs) ? key : nil }
      offlineApproval = builder.commands.lazy.compactMap(\.approvalRule).first?.approval
      let exchange = builder.issuerExchange
      authenticatesIssuer = exchange.map { $0.takesExternalAuthenticate || $0.second?.authentication != nil } ?? false
      takesScripts = exchange?.writableTags != nil
      writableValues = (exchange?.writableTags ?? []).reduce(into: [:]) { values, tag in
        values[tag] = builder.dataObjects.first { $0.tag == tag }?.value.count
      }
      awaitsIssuer = exchange != nil
      startsAgain = exchange?.startsAgain ?? false
      canRecover = builder.recovery != nil
      takesWalletData = builder.commands.contains(where: \.takesWalletData)
      self.firstATC = firstATC
      self.uses = uses
    }
  }

  /// A name for people.
  public let name: String
  /// The applications, in the order of the profile.
  public let applications: [Application]
  /// The key with which the card signs: one for all its applications. Nil for a card that makes no signatures.
  public let signingKey: RSAPublicKey?
  /// The profile it was read from, for a store that compiles it again; nil when it was compiled from a value.
  public let json: [UInt8]?

  let arena: Arena
  let directoryResponse: ArenaSlice
  let images: [ApplicationImage]
  let commands: [CommandImage]
  /// For each command its list of values with the PDOL behind it, as the record of a computation lists the values; for
  /// GET PROCESSING OPTIONS the PDOL alone. Combined here, since a record is made while the terminal waits.
  let valueLists: [DataObjectList]
  /// Further responses of commands, by `CommandImage.further`.
  let further: [FurtherResponses]
  let fills: [FillImage]
  /// For each application the roles of its keys, in the order of an arming.
  let keyRoles: [[PaymentKeyRole]]
  /// The size of the largest message that a cryptogram covers, in bytes.
  let largestMessageCount: Int
  /// The bytes of the longest response of a command with a program, without its status word.
  let longestResponseCount: Int
  /// The responses that name the method of the verification, with which an arming fills `commands`.
  let methodAnswers: [MethodResponse]

  /// Checks and compiles a profile.
  ///
  /// - Parameter schemes: The schemes that the profile may name.
  /// - Throws: `CardProfileError` with all problems.
  public convenience init(compiling profile: CardProfile, schemes: [CardScheme]) throws(CardProfileError) {
    self.init(try ImageCompiler(profile.value, schemes, isText: false), json: nil)
  }

  /// Reads, checks and compiles a profile.
  ///
  /// - Parameter schemes: The schemes that the profile may name.
  /// - Throws: `CardProfileError` with all problems, each with its line and column.
  public convenience init(json: [UInt8], schemes: [CardScheme]) throws(CardProfileError) {
    self.init(try ImageCompiler(try CardProfile.parse(json), schemes, isText: true), json: json)
  }

  private init(_ compiler: ImageCompiler, json: [UInt8]?) {
    name = compiler.name
    applications = compiler.applications
    signingKey = compiler.applications.lazy.compactMap(\.signingKey).first
    images = compiler.images
    commands = compiler.commands
    valueLists = compiler.valueLists
    further = compiler.further
    fills = compiler.fills
    keyRoles = compiler.applications.map(\.keyRoles)
    largestMessageCount = compiler.fills.reduce(0) { largest, fill in
      switch fill {
      case .cryptogram(_, let plan, _), .combinedSignature(_, let plan, _): max(largest, plan.message.count)
      default: largest
      }
    }
    methodAnswers = compiler.methodAnswers
    longestResponseCount = compiler.longestResponseCount
    directoryResponse = compiler.directory
    arena = Arena(compiler.octets)
    self.json = json
  }
}
