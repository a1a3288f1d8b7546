internal import EMVData
internal import ISO7816

/// What follows the host's response on the card: issuer authentication, the issuer's scripts, and between the two kinds of
/// scripts the second cryptogram, which the kernel asks for (EMV 4.4 Book 3, 10.9 to 10.11). Bits of tags 95 and 9B are set
/// in the terminal's data.
struct IssuerUpdate {
  enum Step {
    case transmit(CommandAPDU, TransactionPhase)
    // The kernel sends the second GENERATE AC, then goes on with `next`.
    case secondCryptogram
    case done
  }

  // EXTERNAL AUTHENTICATE, one cryptogram, and as many commands as the scripts have room for: six bytes each with tag and
  // length.
  static let maximumCommandCount = 2 + IssuerData.maximumScriptCount / 6

  private enum Part {
    case authentication([UInt8])
    case script(IssuerScript)
    case secondCryptogram
  }

  private var parts: [Part] = []
  private var running: Part?
  /// Tag 9F5B: five bytes for each script that was begun.
  private(set) var results: [UInt8] = []

  /// - Parameters:
  ///   - profile: Tag 82: only a card that can check it gets tag 91 with EXTERNAL AUTHENTICATE (10.9).
  ///   - hasSecondCryptogram: Whether the kernel asks for a second cryptogram.
  init(_ data: IssuerData, _ profile: ApplicationInterchangeProfile, hasSecondCryptogram: Bool) {
    if let value = data.authenticationData, profile.contains(.issuerAuthentication) {
      parts.append(.authentication(value))
    }
    func scripts(_ tag: Tag) -> [Part] { data.scripts.filter { $0.tag == tag }.map { .script(IssuerScript($0)) } }
    parts += scripts(.issuerScriptTemplate1)
    if hasSecondCryptogram { parts.append(.secondCryptogram) }
    parts += scripts(.issuerScriptTemplate2)
  }

  mutating func next(_ terminal: inout KernelTerminal) -> Step {
    while true {
      if case .script(var script)? = running {
        terminal.statusInformation.insert(.scriptProcessing)
        if let command = script.next() {
          running = .script(script)
          return .transmit(command, .issuerScript)
        }
        finish(script, &terminal)
      }
      guard !parts.isEmpty else { return .done }
      switch parts.removeFirst() {
      case .authentication(let value):
        running = .authentication(value)
        terminal.statusInformation.insert(.issuerAuthentication)
        return .transmit(.externalAuthenticate(value), .externalAuthenticate)
      case .script(let script): running = .script(script)
      case .secondCryptogram: return .secondCryptogram
      }
    }
  }

  /// Takes the response to the command of `next`.
  mutating func receive(_ response: ResponseAPDU, _ terminal: inout KernelTerminal) {
    switch running {
    case .authentication:
      running = nil
      if !response.status.isOK { terminal.verificationResults.insert(.issuerAuthenticationFailed) }
    case .script(var script):
      script.receive(response.status)
      running = .script(script)
    case .secondCryptogram, nil: preconditionFailure("a response comes after a command")
    }
  }

  /// Counts the scripts that are left as not performed: the card left.
  mutating func abandon(_ terminal: inout KernelTerminal) {
    if case .script(var script)? = running {
      script.lose()
      finish(script, &terminal)
    }
    for case .script(let script) in parts { finish(script, &terminal) }
    parts = []
  }

  private mutating func finish(_ script: IssuerScript, _ terminal: inout KernelTerminal) {
    running = nil
    results += script.result
    if !script.hasSucceeded { terminal.verificationResults.insert(script.failureBit) }
  }
}

extension IssuerUpdate {
  /// Tags 95 and 9B, and 9F5B when there were scripts.
  func discretionaryData(_ terminal: KernelTerminal) -> [TLVNode] {
    let status = [Tag.terminalVerificationResults, .transactionStatusInformation].compactMap { tag in
      terminal.data[tag].map { TLVNode(tag, $0) }
    }
    return status + (results.isEmpty ? [] : [TLVNode(.issuerScriptResults, results)])
  }
}

// The commands that every kernel may send after the host's response.
extension TransactionPhase {
  /// EXTERNAL AUTHENTICATE (EMV 4.4 Book 3, 6.5.4).
  public static let externalAuthenticate = TransactionPhase(rawValue: "EXTERNAL AUTHENTICATE")
  /// A command of an issuer script (EMV 4.4 Book 3, 10.10).
  public static let issuerScript = TransactionPhase(rawValue: "issuer script")
  /// The second GENERATE AC of a payment (EMV 4.4 Book 3, 10.11).
  public static let secondCryptogram = TransactionPhase(rawValue: "second GENERATE AC")
}

extension CommandAPDU {
  // 00 82 00 00 with tag 91, which has at most 16 bytes (EMV 4.4 Book 3, 6.5.4).
  static func externalAuthenticate(_ data: [UInt8]) -> CommandAPDU {
    do throws(APDUError) {
      return try CommandAPDU(cla: 0x00, ins: 0x82, p1: 0x00, p2: 0x00, data: data)
    } catch { preconditionFailure("tag 91 has at most 16 bytes, and \(data.count) were checked") }
  }
}

extension KernelTerminal {
  // Tag 95.
  var verificationResults: TerminalVerificationResults {
    get { TerminalVerificationResults(octets: data[.terminalVerificationResults] ?? []) ?? [] }
    set { data[.terminalVerificationResults] = newValue.octets }
  }

  // Tag 9B.
  var statusInformation: TransactionStatusInformation {
    get { TransactionStatusInformation(octets: data[.transactionStatusInformation] ?? []) ?? [] }
    set { data[.transactionStatusInformation] = newValue.octets }
  }
}

// Bits of tag 9B (EMV 4.4 Book 3, annex C6).
extension TransactionStatusInformation {
  static let issuerAuthentication = Self(rawValue: 0x1000)
  static let riskManagement = Self(rawValue: 0x0800)
  static let scriptProcessing = Self(rawValue: 0x0400)
}
