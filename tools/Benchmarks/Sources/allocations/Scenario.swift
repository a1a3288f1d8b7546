import Octets

/// A card, and the commands of a tap that are measured on it.
struct Scenario {
  /// The file name of the card profile in `Fixtures/Cards`, without its ending.
  let card: String
  let measurements: [Measurement]

  /// Marks commands after which the card's thread notifies its session. The notification allocates and is not counted
  /// against the card.
  static let notifiesSession = "(notifies the session)"

  private typealias Row = (name: String, command: String, succeeds: Bool, iterations: Int, lastOctet: Int?)

  private init(_ card: String, _ rows: [Row]) throws {
    self.card = card
    measurements = try rows.map {
      Measurement(
        name: $0.name, command: try [UInt8](hex: $0.command), succeeds: $0.succeeds, iterations: $0.iterations,
        lastOctet: $0.lastOctet)
    }
  }

  static func all() throws -> [Scenario] {
    try [
      Scenario("visa-cvn18", opening(visa) + visaPayment + refusals),
      // GENERATE AC derives the session key, since it needs the terminal's unpredictable number.
      Scenario("mastercard-cvn16", opening(mastercard) + generation),
      Scenario("mastercard-magstripe", opening(mastercard) + checksum),
      Scenario("co-badged", opening(visa) + opening(mastercard).dropFirst(2) + generation + afterwards),
    ]
  }

  private static let visa = "A0000000031010"
  private static let mastercard = "A0000000041010"
  private static let visaOptions =
    "80A8000023832132804000000000001234000000000000027600000000000978261121" + "00" + "52BF4585" + "00"

  private static func opening(_ aid: String) -> [Row] {
    let directory = "00A404000E325041592E5359532E444446303100"
    return [
      ("\(notifiesSession) first command of a tap", directory, true, 1, nil),
      ("SELECT PPSE", directory, true, 1_000, nil),
      ("SELECT \(aid)", "00A4040007\(aid)00", true, 1_000, nil),
      ("SELECT of an unknown AID", "00A4040007A000000099101000", false, 1_000, nil),
    ]
  }

  private static let visaPayment: [Row] = [
    ("GET PROCESSING OPTIONS of the wrong length", "80A800000383010000", false, 1_000, nil),
    ("GET PROCESSING OPTIONS", visaOptions, true, 1, nil),
    ("GET PROCESSING OPTIONS again", visaOptions, false, 1_000, nil),
    ("READ RECORD", "00B2010C00", true, 1_000, nil),
    ("\(notifiesSession) READ RECORD, the last of the AFL", "00B2011C00", true, 1, nil),
    ("READ RECORD, the last again", "00B2011C00", true, 1_000, nil),
    ("READ RECORD of an absent record", "00B2020C00", false, 1_000, nil),
  ]

  private static let refusals: [Row] = [
    ("GET DATA 9F36", "80CA9F3600", true, 1_000, nil),
    ("unknown instruction", "00FF000000", false, 1_000, nil),
    ("too short for a command", "00A4", false, 1_000, nil),
  ]

  // Offset 43 of the response is the first octet of the status word: template 77 holds 41 octets of data objects.
  private static let generation: [Row] = {
    let generate =
      "80AE800021" + "000000001234" + "000000000000" + "0276" + "0000000000" + "0978" + "261121" + "00" + "52BF4585"
      + "22" + "010002" + "00"
    return [
      ("GET PROCESSING OPTIONS", "80A8000002830000", true, 1, nil),
      ("GET PROCESSING OPTIONS again", "80A8000002830000", false, 1_000, nil),
      ("READ RECORD", "00B2011400", true, 1_000, nil),
      ("READ RECORD, the last of the AFL", "00B2021400", true, 1_000, nil),
      ("GENERATE AC of the wrong length", "80AE8000010000", false, 1_000, nil),
      ("GENERATE AC, to the answer's last octet", generate, true, 1, 43),
      ("GENERATE AC again", generate, false, 1_000, nil),
      ("SELECT \(mastercard) again", "00A4040007\(mastercard)00", true, 1_000, nil),
      ("GET PROCESSING OPTIONS of a spent card", "80A8000002830000", true, 1, nil),
      ("GENERATE AC of a spent card", generate, true, 1, nil),
    ] + refusals
  }()

  // Offsets 10 and 11 of the response hold the CVC3 of track 1, which is computed last.
  private static let checksum: [Row] = {
    let compute = "802A8E8005" + "00000899" + "01" + "00"
    return [
      ("GET PROCESSING OPTIONS", "80A800000383010100", true, 1, nil),
      ("READ RECORD", "00B2010C00", true, 1_000, nil),
      ("COMPUTE CRYPTOGRAPHIC CHECKSUM of the wrong length", "802A8E80010000", false, 1_000, nil),
      ("COMPUTE CRYPTOGRAPHIC CHECKSUM, to the answer's last octet", compute, true, 1, 11),
      ("COMPUTE CRYPTOGRAPHIC CHECKSUM again", compute, false, 1_000, nil),
      ("SELECT \(mastercard) again", "00A4040007\(mastercard)00", true, 1_000, nil),
      ("GET PROCESSING OPTIONS of a spent card", "80A800000383010100", true, 1, nil),
      ("COMPUTE CRYPTOGRAPHIC CHECKSUM of a spent card", compute, true, 1, nil),
    ] + refusals
  }()

  private static let afterwards: [Row] = [
    ("SELECT \(visa) of a spent card", "00A4040007\(visa)00", true, 1_000, nil),
    ("GET PROCESSING OPTIONS of a spent card", visaOptions, false, 1_000, nil),
  ]
}
