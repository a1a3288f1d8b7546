import ISO7816
import Octets
import Testing

@Suite("Exchanges scripted by another EMV library")
struct ScriptedExchangeTests {
  static let throughReader = [
    "case_1_normal", "case_1_error", "case_2_normal", "case_2_error_early", "case_2_error_late", "case_3_normal",
    "case_3_error", "case_4_normal", "case_4_error_early", "case_4_error_late", "case_2_normal_advanced",
    "case_4_normal_advanced", "case_4_warning1", "case_4_warning2",
  ].map { "test_pcsc_" + $0 }

  /// Of the character-level sets, those whose bytes are whole commands and responses.
  static let inCharacters = ["case_1_normal", "case_1_error", "case_2_error_early", "case_2_error_late"]
    .map { "test_tpdu_" + $0 }

  /// Not used: these send header and data separately and respond with procedure bytes (INS before the data), which a
  /// layer below the response assembly removes: a T=0 driver or a PC/SC reader.
  static let withProcedureBytes = [
    "case_2_normal", "case_3_normal", "case_3_error_early", "case_3_error_late", "case_4_normal",
    "case_4_error_early", "case_4_error_early2", "case_4_error_late", "case_2_normal_advanced",
    "case_4_normal_advanced", "case_4_warning1", "case_4_warning2",
  ].map { "test_tpdu_" + $0 }

  @Test(arguments: throughReader)
  func `every sequence through a reader ends with its data`(_ name: String) throws {
    try expectData(name, of: "emv_ttl_pcsc_test", .characters)
    // The only sequence that is specific to T=0.
    guard name != "test_pcsc_case_4_warning1" else { return }
    try expectData(name, of: "emv_ttl_pcsc_test", .blocks)
  }

  @Test(arguments: inCharacters)
  func `every character-level sequence of whole commands ends with its data`(_ name: String) throws {
    try expectData(name, of: "emv_ttl_tpdu_test", .characters)
  }

  @Test func `all sequences of the file are used`() throws {
    #expect(try Set(ScriptedExchanges.program("emv_ttl_pcsc_test").exchanges.keys) == Set(Self.throughReader))
    #expect(
      try Set(ScriptedExchanges.program("emv_ttl_tpdu_test").exchanges.keys)
        == Set(Self.inCharacters + Self.withProcedureBytes))
  }

  @Test func `a warning without data is a complete response in blocks`() throws {
    let exchange = try #require(
      try ScriptedExchanges.program("emv_ttl_pcsc_test").exchanges["test_pcsc_case_4_warning1"]?.first)
    var assembly = try ResponseAssembly(command: CommandAPDU(hex: exchange.c))
    let step = try assembly.receive(ResponseAPDU(hex: exchange.r))
    #expect(step == .complete(ResponseAPDU(status: StatusWord(rawValue: 0x6286))))
  }

  private func expectData(
    _ name: String, of program: String, _ transport: ResponseAssembly.Transport
  ) throws {
    let program = try ScriptedExchanges.program(program)
    let exchanges = try #require(program.exchanges[name])
    let expected = try #require(program.data[name + "_data"])
    var next = try CommandAPDU(hex: #require(exchanges.first).c)
    var assembly = ResponseAssembly(command: next, transport: transport)
    for (index, exchange) in exchanges.enumerated() {
      #expect(next.encoded.hex == exchange.c)
      switch try assembly.receive(ResponseAPDU(hex: exchange.r)) {
      case .transmit(let following): next = following
      case .complete(let whole):
        #expect(index == exchanges.count - 1)
        // A sequence without data is described by its status word.
        #expect((whole.data.isEmpty ? whole.status.description : whole.data.hex) == expected)
        return
      }
    }
    Issue.record("\(name) did not end")
  }

  @Test func `every complete command and response is read and written back to the same bytes`() throws {
    var (whole, cutOff) = (0, 0)
    for (program, content) in try ScriptedExchanges.programs() where program != "emv_ttl_tpdu_test" {
      for exchange in content.exchanges.values.joined() {
        #expect(try CommandAPDU(hex: exchange.c).encoded.hex == exchange.c)
        // A response of one octet: the script's "invalid response".
        guard exchange.r.count > 2 else {
          #expect(throws: APDUError(.tooShort(minimum: 2), count: 1)) { try ResponseAPDU(hex: exchange.r) }
          cutOff += 1
          continue
        }
        #expect(try ResponseAPDU(hex: exchange.r).encoded.hex == exchange.r)
        whole += 1
      }
    }
    #expect(whole == 129)
    #expect(cutOff == 1)
  }

  /// Records that are malformed on purpose, by the name of the script.
  static let wrongRecords: [String: TLVError] = [
    "test5_apdu_list": TLVError(.padding(0xFF), at: 53),
    "test6_apdu_list": TLVError(.valueTooLong(stated: 15, available: 14), at: 38),
    "test10_apdu_list": TLVError(.padding(0xFF), at: 0),
  ]

  @Test
  func
    `every response is strict data objects that are written back to the same bytes, or the script marks it as wrong`()
    throws
  {
    var wrong = 0
    for (program, content) in try ScriptedExchanges.programs() where !program.hasPrefix("emv_ttl") {
      for (name, exchanges) in content.exchanges {
        for exchange in exchanges where exchange.r.count > 2 {
          let data = try ResponseAPDU(hex: exchange.r).data
          do throws(TLVError) {
            #expect(try [TLVNode](parsing: data.span, rules: .strict).encoded == data)
          } catch {
            #expect(program == "emv_read_application_data_test")
            #expect(error == Self.wrongRecords[name])
            wrong += 1
          }
        }
      }
    }
    #expect(wrong == Self.wrongRecords.count)
  }
}
