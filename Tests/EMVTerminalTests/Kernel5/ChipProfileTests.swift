import Documents
import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import Testing

@Suite("Profiles of kernels 4 and 5") struct ChipProfileTests {
  private static func problems(_ path: String, _ value: JSONValue) throws -> [String] {
    let profile = try Terminals.allKernels(0..<4).setting(path, to: value)
    do throws(TerminalProfileError) {
      _ = try TerminalConfiguration(profile)
      return []
    } catch { return error.problems.map { "\($0.path.dropFirst(2)): \($0.reason)" } }
  }

  /// Value, and what the problem holds.
  @Test(arguments: [
    ("73", "legacy mode (bit 1) is set: no public document has the coding of ECHO, so it cannot be built"),
    ("76", "mag-stripe mode (bit 3) is set: no public document has the coding of GET MAGSTRIPE DATA"),
    ("70", "EMV mode (bit 2) must be set"), ("F2", "bit 8 is set, and has no meaning"),
    ("7A", "randomSelection and bit 4 of combinationOptions go together"),
  ])
  func `combination options that kernel 5 does not have are refused with the reason`(
    _ value: String, _ reason: String
  ) throws {
    let problems = try Self.problems("applications[3].kernel5.combinationOptions", JSONValue(value))
    #expect(problems.count == 1 && problems.first?.contains(reason) == true, "\(problems)")
  }

  @Test(arguments: [
    ("applications[3].kernel5.interchangeProfile", "760000", "transit (byte 1 bit 3) is set, but it is not built"),
    ("applications[3].kernel5.interchangeProfile", "728000", "the issuer update (byte 2 bit 8) is set"),
    ("applications[3].kernel5.interchangeProfile", "7200", "2 bytes"),
    ("applications[2].kernel4.readerCapabilities", "F8E00003", "EMV full online mode (byte 1 bit 6) is set"),
    ("applications[2].kernel4.readerCapabilities", "88E00003", "neither mag-stripe mode (byte 1 bit 7) nor EMV mode"),
    ("applications[2].kernel4.readerCapabilities", "00000000", "neither mag-stripe mode (byte 1 bit 7) nor EMV mode"),
    ("applications[2].kernel4.readerCapabilities", "D8E00043", "delayed authorisation (byte 4 bit 7) is set"),
    ("applications[2].kernel4.readerCapabilities", "D8E00023", "transit (byte 4 bit 6) is set"),
    ("applications[2].kernel4.largestMagStripeNumber", "59", "60...255"),
  ])
  func `settings that are not built are refused at their place`(
    _ path: String, _ value: String, _ reason: String
  ) throws {
    let problems = try Self.problems(path, path.hasSuffix("Number") ? 59 : JSONValue(value))
    #expect(problems.count == 1 && problems.first?.hasPrefix(path) == true, "\(problems)")
    #expect(problems.first?.contains(reason) == true, "\(problems)")
  }

  @Test func `CVM required of a profile has no effect`() throws {
    let terminal = try Terminals.allKernels([
      ("applications[2].kernel4.readerCapabilities", "D8E04003"),
      ("applications[3].kernel5.interchangeProfile", "F20000"),
    ])
    let american = terminal.combinations.compactMap { $0.kernel as? Kernel4 }.first
    let jcb = terminal.combinations.compactMap { $0.kernel as? Kernel5 }.first
    #expect(american?.configuration.readerCapabilities.octets.hex == "D8E00003")
    #expect(jcb?.configuration.interchangeProfile.octets.hex == "720000")
  }

  @Test func `random selection of kernel 5 sets its bit of tag 95`() throws {
    let changes: [(String, JSONValue)] = [
      ("applications[3].kernel5.combinationOptions", "7A"),
      ("applications[3].riskManagement", ["randomSelection": ["target": 99, "maximumTarget": 99]]),
      ("applications[3].limits[0].randomThreshold", "50.00"), ("applications[3].limits[1].randomThreshold", "50.00"),
    ]
    let tap = try Terminals.tap(ChipDouble.jcb().signing(), "12.34", changes)
    #expect(tap.results == "0000001000" && tap.generateAC?.p1 == 0x90)
  }
}
