import Octets

/// A card, and the commands of a tap that are measured on it.
struct Scenario {
  /// The file name of the card profile in `Fixtures/Cards`, without its ending.
  let card: String
  let measurements: [Measurement]

  private typealias Row = (name: String, command: String, succeeds: Bool, iterations: Int)

  private init(_ card: String, _ rows: [Row]) throws {
    self.card = card
    measurements = try rows.map {
      Measurement(
        name: $0.name, command: try [UInt8](hex: $0.command), succeeds: $0.succeeds, iterations: $0.iterations)
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
      ("the first command of a tap", directory, true, 1),
      ("SELECT PPSE", directory, true, 1_000),
      ("SELECT \(aid)", "00A4040007\(aid)00", true, 1_000),
      ("SELECT of an unknown AID", "00A4040007A000000099101000", false, 1_000),
    ]
  }

  private static let visaPayment: [Row] = [
    ("GET PROCESSING OPTIONS of the wrong length", "80A800000383010000", false, 1_000),
    ("GET PROCESSING OPTIONS", visaOptions, true, 1),
    ("GET PROCESSING OPTIONS again", visaOptions, false, 1_000),
    ("READ RECORD", "00B2010C00", true, 1_000),
    ("READ RECORD, the last of the AFL", "00B2011C00", true, 1),
    ("READ RECORD, the last again", "00B2011C00", true, 1_000),
    ("READ RECORD of an absent record", "00B2020C00", false, 1_000),
  ]

  private static let refusals: [Row] = [
    ("GET DATA 9F36", "80CA9F3600", true, 1_000),
    ("unknown instruction", "00FF000000", false, 1_000),
    ("too short for a command", "00A4", false, 1_000),
  ]

  private static let generation: [Row] = {
    let generate =
      "80AE800021" + "000000001234" + "000000000000" + "0276" + "0000000000" + "0978" + "261121" + "00" + "52BF4585"
      + "22" + "010002" + "00"
    return [
      ("GET PROCESSING OPTIONS", "80A8000002830000", true, 1),
      ("GET PROCESSING OPTIONS again", "80A8000002830000", false, 1_000),
      ("READ RECORD", "00B2011400", true, 1_000),
      ("READ RECORD, the last of the AFL", "00B2021400", true, 1_000),
      ("GENERATE AC of the wrong length", "80AE8000010000", false, 1_000),
      ("GENERATE AC", generate, true, 1),
      ("GENERATE AC again", generate, false, 1_000),
      ("SELECT \(mastercard) again", "00A4040007\(mastercard)00", true, 1_000),
      ("GET PROCESSING OPTIONS of a spent card", "80A8000002830000", true, 1),
      ("GENERATE AC of a spent card", generate, true, 1),
    ] + refusals
  }()

  private static let checksum: [Row] = {
    let compute = "802A8E8005" + "00000899" + "01" + "00"
    return [
      ("GET PROCESSING OPTIONS", "80A800000383010100", true, 1),
      ("READ RECORD", "00B2010C00", true, 1_000),
      ("COMPUTE CRYPTOGRAPHIC CHECKSUM of the wrong length", "802A8E80010000", false, 1_000),
      ("COMPUTE CRYPTOGRAPHIC CHECKSUM", compute, true, 1),
      ("COMPUTE CRYPTOGRAPHIC CHECKSUM again", compute, false, 1_000),
      ("SELECT \(mastercard) again", "00A4040007\(mastercard)00", true, 1_000),
      ("GET PROCESSING OPTIONS of a spent card", "80A800000383010100", true, 1),
      ("COMPUTE CRYPTOGRAPHIC CHECKSUM of a spent card", compute, true, 1),
    ] + refusals
  }()

  private static let afterwards: [Row] = [
    ("SELECT \(visa) of a spent card", "00A4040007\(visa)00", true, 1_000),
    ("GET PROCESSING OPTIONS of a spent card", visaOptions, false, 1_000),
  ]
}
