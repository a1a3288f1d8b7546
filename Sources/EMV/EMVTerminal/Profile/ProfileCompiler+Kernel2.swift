internal import EMVData
internal import ISO7816
internal import Octets

extension ProfileCompiler {
  // SDA, DDA and CDA in byte 3 of tag 9F33 (EMV 4.4 Book 4, annex A2).
  private static let dataAuthentication: UInt8 = 0x80 | 0x40 | 0x08

  mutating func kernel2(
    _ application: TerminalProfile.Application, _ kernel: UInt8, _ path: String
  ) -> Kernel2Configuration? {
    guard kernel == 2 else {
      if application.kernel2 != nil { note(path, "kernel \(application.kernel) has no settings of kernel 2") }
      return nil
    }
    guard let settings = application.kernel2 else {
      note(path, "an object is missing: kernel 2 needs its settings")
      return nil
    }
    return Kernel2Configuration(
      options: options(settings.configuration, "\(path).configuration"),
      cardDataInput: octet(settings.cardDataInput, "\(path).cardDataInput"),
      security: security(settings.security, "\(path).security"),
      cvmCapability: Kernel2Configuration.Choice(
        required: octet(settings.cvmCapability.required, "\(path).cvmCapability.required"),
        notRequired: octet(settings.cvmCapability.notRequired, "\(path).cvmCapability.notRequired")),
      magStripeVerification: Kernel2Configuration.Choice(
        required: verification(settings.magStripeCVM.required, "\(path).magStripeCVM.required"),
        notRequired: verification(settings.magStripeCVM.notRequired, "\(path).magStripeCVM.notRequired")),
      actionCodes: actionCodes(settings.actionCodes, "\(path).actionCodes"),
      defaultUDOL: dataObjects(settings.defaultUDOL ?? "9F6A04", "\(path).defaultUDOL"),
      mobileSupport: octet(settings.mobileSupport ?? "01", "\(path).mobileSupport"),
      applicationVersion: octets(settings.applicationVersion ?? "0002", 2, "\(path).applicationVersion"),
      magStripeVersion: octets(settings.magStripeVersion ?? "0001", 2, "\(path).magStripeVersion"),
      relayResistance: relayResistance(settings.relayResistance ?? .init(), "\(path).relayResistance"))
  }

  private mutating func octet(_ text: String, _ path: String) -> UInt8 { octets(text, 1, path).first ?? 0 }

  private mutating func options(_ text: String, _ path: String) -> Kernel2Configuration.Options {
    let options = Kernel2Configuration.Options(rawValue: octet(text, path))
    if options.isSuperset(of: [.noMagStripeMode, .noEMVMode]) {
      note(path, "neither mag-stripe mode (bit 8) nor EMV mode (bit 7) is left")
    }
    if !Kernel2Configuration.Options.known.isSuperset(of: options) {
      note(path, "\"\(text)\" sets a bit of 4 to 1, but none of those is built")
    }
    return options
  }

  private mutating func security(_ text: String, _ path: String) -> UInt8 {
    let value = octet(text, path)
    if value & Self.dataAuthentication != 0 {
      note(path, "offline data authentication (bits 8, 7 and 4) is set, but it is not built")
    }
    return value
  }

  private mutating func verification(_ text: String, _ path: String) -> VerificationMethod {
    switch text {
    case "00": return .none
    case "10": return .signature
    case "20": return .onlinePIN
    default:
      note(path, "\"\(text)\" is none of 00 (none), 10 (signature) and 20 (online PIN)")
      return .none
    }
  }

  private mutating func actionCodes(
    _ codes: TerminalProfile.Kernel2.ActionCodes?, _ path: String
  ) -> TerminalActionCodes {
    guard let codes else { return TerminalActionCodes() }
    return TerminalActionCodes(
      denial: results(codes.denial, "\(path).denial"), online: results(codes.online, "\(path).online"),
      fallback: results(codes.default, "\(path).default"))
  }

  private mutating func results(_ text: String, _ path: String) -> TerminalVerificationResults {
    TerminalVerificationResults(octets: octets(text, 5, path))
  }

  private mutating func dataObjects(_ text: String, _ path: String) -> DataObjectList {
    guard let octets = try? [UInt8](hex: text), let list = try? DataObjectList(parsing: octets) else {
      note(path, "\"\(text)\" is no data object list in hexadecimal")
      return DataObjectList(entries: [])
    }
    // Without the number that the terminal drew, a checksum proves nothing.
    if list.range(of: .unpredictableNumberNumeric)?.count != 4 {
      note(path, "tag 9F6A with 4 octets is missing from the data object list")
    }
    return list
  }

  private mutating func relayResistance(
    _ settings: TerminalProfile.Kernel2.RelayResistance, _ path: String
  ) -> RelayResistance {
    let standard = RelayResistance()
    return RelayResistance(
      furtherTries: number(settings.furtherTries, standard.furtherTries, 0...2, "\(path).furtherTries"),
      minimumGrace: number(settings.minimumGrace, standard.minimumGrace, 0...65535, "\(path).minimumGrace"),
      maximumGrace: number(settings.maximumGrace, standard.maximumGrace, 0...65535, "\(path).maximumGrace"),
      commandTime: number(settings.commandTime, standard.commandTime, 0...65535, "\(path).commandTime"),
      responseTime: number(settings.responseTime, standard.responseTime, 0...65535, "\(path).responseTime"),
      accuracy: number(settings.accuracy, standard.accuracy, 0...65535, "\(path).accuracy"),
      mismatch: number(settings.mismatch, standard.mismatch, 0...100, "\(path).mismatch"))
  }

  private mutating func number(_ value: Int?, _ standard: Int, _ range: ClosedRange<Int>, _ path: String) -> Int {
    guard let value else { return standard }
    guard range.contains(value) else {
      note(path, "\(value) is not in the range \(range.lowerBound) to \(range.upperBound)")
      return standard
    }
    return value
  }
}
