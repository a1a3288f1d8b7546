public import EMVData
public import ISO7816

/// A terminal profile, checked and compiled once: what every payment of the terminal works from. Immutable.
public struct TerminalConfiguration: Sendable {
  /// What the profile is called.
  public let name: String
  /// The currencies, in the order of the profile.
  public let currencies: [Currency]
  /// The combinations of AID and kernel, in the order of the profile.
  public let combinations: [Combination]
  /// The values of the terminal's own data elements.
  let terminalData: [Tag: [UInt8]]

  init(
    name: String, currencies: [Currency], combinations: [Combination], terminalData: [Tag: [UInt8]]
  ) {
    self.name = name
    self.currencies = currencies
    self.combinations = combinations
    self.terminalData = terminalData
  }

  /// Compiles a profile.
  ///
  /// - Throws: `TerminalProfileError` with every problem.
  public init(_ profile: TerminalProfile) throws(TerminalProfileError) {
    let (configuration, problems) = ProfileCompiler.compile(profile)
    guard problems.isEmpty else { throw TerminalProfileError(problems) }
    self = configuration
  }

  /// Reads and compiles a profile.
  ///
  /// - Throws: `TerminalProfileError` with every problem of shape and value.
  public init(json octets: some Sequence<UInt8>) throws(TerminalProfileError) {
    try self.init(TerminalProfile(json: octets))
  }

  /// The currency with a numeric or alphabetic code, such as `978` or `EUR`; nil when the terminal does not take it.
  public func currency(_ code: some StringProtocol) -> Currency? {
    currencies.first { $0.numericCode == code || $0.alphabeticCode == code }
  }
}

/// What a terminal does with one AID and one kernel (EMV Contactless Book B v2.11, 3.1: combination).
public struct Combination: Hashable, Sendable {
  /// What people call it.
  public let name: String
  /// The whole AID, or the beginning of the AIDs, that the combination takes.
  public let aid: AID
  /// The kernel's number.
  public let kernel: UInt8
  /// Tag 9F66 as the profile has it; empty for kernel 2.
  public let qualifiers: TerminalTransactionQualifiers
  /// What kernel 2 is set to; nil for kernel 3.
  public let kernel2: Kernel2Configuration?
  /// Whether an amount of zero is taken.
  public let zeroAmountAllowed: Bool
  /// Whether an amount of one unit asks for an online cryptogram.
  public let statusCheck: Bool
  /// Whether tag 9F29 is appended to the selected name.
  public let extendedSelection: Bool
  /// The limits by numeric currency code.
  public let limits: [String: Limits]

  /// Creates a combination.
  public init(
    name: String, aid: AID, kernel: UInt8, qualifiers: TerminalTransactionQualifiers,
    kernel2: Kernel2Configuration? = nil, zeroAmountAllowed: Bool = false, statusCheck: Bool = false,
    extendedSelection: Bool = false, limits: [String: Limits] = [:]
  ) {
    self.name = name
    self.aid = aid
    self.kernel = kernel
    self.qualifiers = qualifiers
    self.kernel2 = kernel2
    self.zeroAmountAllowed = zeroAmountAllowed
    self.statusCheck = statusCheck
    self.extendedSelection = extendedSelection
    self.limits = limits
  }

  /// Limits in minor units of one currency; nil where there is none.
  public struct Limits: Hashable, Sendable {
    /// Kernel 3: from this amount on, no contactless payment. Kernel 2: above it, none without verification on the
    /// device.
    public var transaction: UInt64?
    /// Kernel 2: above this amount, no contactless payment with verification on the device.
    public var transactionOnDevice: UInt64?
    /// Kernel 3: from this amount on, the cardholder must be verified. Kernel 2: above it.
    public var cvmRequired: UInt64?
    /// Above this amount, an online cryptogram is asked for.
    public var floor: UInt64?

    /// Creates limits.
    public init(
      transaction: UInt64? = nil, transactionOnDevice: UInt64? = nil, cvmRequired: UInt64? = nil, floor: UInt64? = nil
    ) {
      self.transaction = transaction
      self.transactionOnDevice = transactionOnDevice
      self.cvmRequired = cvmRequired
      self.floor = floor
    }
  }
}
