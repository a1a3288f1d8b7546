import Ciphers
import EMVCryptography
import Octets
import Testing

@Suite("Issuer scripts")
struct ScriptTests {
  @Test(arguments: PyEMVVectors.list("sm.format_vis_pin_block"))
  func `Visa's PIN block is a payment HSM's`(_ vector: KnownAnswer) throws {
    let master = try vector.secret("icc_mk_ac")
    let new = try vector.pin("pin")!
    let current = try vector.pin("current_pin")
    #expect(exposedHex(new.visaFormat(masterKey: master, current: current)) == vector.out)
  }

  @Test(arguments: PyEMVVectors.list("sm.format_iso9564_2_pin_block"))
  func `PIN block format 2 is a payment HSM's`(_ vector: KnownAnswer) throws {
    let pin = try vector.pin("pin")!
    #expect(exposedHex(pin.iso9564Format2()) == vector.out)
  }

  @Test(arguments: [
    ("123", false), ("1234", true), ("123456789012", true), ("1234567890123", false), ("12A4", false), ("", false),
  ])
  func `a PIN has 4 to 12 digits, and the array of digits is wiped in every case`(_ digits: String, _ isTaken: Bool) {
    var octets = Array(digits.utf8)
    let pin = PersonalIdentificationNumber(wiping: &octets)
    let wasTaken = pin != nil
    #expect(wasTaken == isTaken)
    #expect(octets == [UInt8](repeating: 0, count: digits.utf8.count))
  }

  @Test(arguments: PyEMVVectors.list("sm.encrypt_command_data"))
  func `script data are enciphered as a payment HSM does`(_ vector: KnownAnswer) throws {
    let key = try vector.secret("sk_smc")
    let data = try vector.secret("command_data")
    let type = try vector.text("encryption_type")
    let kinds: [String: ScriptEncipherment] = [
      "VISA": .lengthFirst, "MASTERCARD": .chainedWhenShort, "EMV": .chained,
    ]
    let kind = try #require(kinds[type])
    #expect(kind.encipher(data, TripleDESKeys(key)).hex == vector.out)
  }

  @Test(arguments: [
    (1, 8, 8, 8), (6, 8, 8, 8), (7, 16, 8, 8), (8, 16, 8, 16), (15, 24, 16, 16), (16, 24, 16, 24),
    (255, 264, 256, 256),
  ])
  func `enciphered data are as long as their padding makes them`(
    _ count: Int, _ lengthFirst: Int, _ whenShort: Int, _ always: Int
  ) throws {
    let key = try secret(SessionKeyTests.master)
    let keys = TripleDESKeys(key)
    let data = Secret(copying: [UInt8](repeating: 0x11, count: count))
    let kinds: [ScriptEncipherment] = [.lengthFirst, .chainedWhenShort, .chained]
    var found: [Int] = []
    for kind in kinds { found.append(kind.encipher(data, keys).count) }
    #expect(found == [lengthFirst, whenShort, always])
  }

  @Test func `Visa's blocks are enciphered separately and the others are chained`() throws {
    let key = try secret(SessionKeyTests.master)
    let keys = TripleDESKeys(key)
    let data = Secret(copying: [UInt8](repeating: 0x11, count: 24))
    let chained = ScriptEncipherment.chained.encipher(data, keys)
    let alone = ScriptEncipherment.lengthFirst.encipher(data, keys)
    #expect(chained[0..<8] != chained[8..<16])
    #expect(alone[8..<16] == alone[16..<24])
  }

  @Test func `more data than a command carries are our own fault and trap`() async {
    await #expect(processExitsWith: .failure) {
      let keys = TripleDESKeys(Secret(copying: [UInt8](repeating: 1, count: 16)))
      _ = ScriptEncipherment.chained.encipher(Secret(copying: [UInt8](repeating: 1, count: 256)), keys)
    }
  }

  @Test(arguments: PyEMVVectors.list("sm.generate_command_mac"))
  func `the MAC over a whole script command is a payment HSM's`(_ vector: KnownAnswer) throws {
    let key = try vector.secret("sk_smi")
    let command = try vector.octets("command")
    #expect(retailMAC([command], key, .mandatory).hex == vector.out)
  }

  @Test(arguments: PyEMVVectors.results("generate_command_mac"))
  func `a version's script MAC is a payment HSM's`(_ vector: SessionAnswer) throws {
    let version = try vector.version()
    let atc = try vector.transaction().atc
    let header = try vector.answer.octets("command_header")
    let data = try octets(vector.answer.optionalText("command_data") ?? "")
    let cryptogram: UInt64 = try vector.answer.integer("tag_9f26")
    let keys = try PyEMVVectors.cardKeys(version)
    let mac = version.scriptMAC(
      header: header, data: data, masterKey: keys.scriptIntegrity, atc: atc, cryptogram: cryptogram)
    #expect(mac?.hex == vector.answer.out)
  }

  @Test(arguments: PyEMVVectors.results("generate_pin_change_command"))
  func `a version's PIN change is a payment HSM's`(_ vector: SessionAnswer) throws {
    let version = try vector.version()
    let atc = try vector.transaction().atc
    let cryptogram: UInt64 = try vector.answer.integer("tag_9f26")
    let new = try vector.answer.pin("pin")!
    let current = vector.answer.args["current_pin"] == nil ? nil : try vector.answer.pin("current_pin")
    let keys = try PyEMVVectors.cardKeys(version)
    let command = version.pinChange(to: new, current: current, keys: keys, atc: atc, cryptogram: cryptogram)
    #expect(command?.hex == vector.answer.out)
  }

  @Test func `a version without scripts returns nil, as does one whose PIN format cannot hold the current PIN`() throws
  {
    for version in CryptogramVersion.all {
      let keys = try PyEMVVectors.cardKeys(version)
      var digits = Array("1234".utf8)
      var others = Array("5678".utf8)
      let new = PersonalIdentificationNumber(wiping: &digits)!
      let current = PersonalIdentificationNumber(wiping: &others)
      let none: PersonalIdentificationNumber? = nil
      let plain = version.pinChange(to: new, current: none, keys: keys, atc: 1, cryptogram: 2)
      let replacing = version.pinChange(to: new, current: current, keys: keys, atc: 1, cryptogram: 2)
      let mac = version.scriptMAC(header: [], data: [], masterKey: keys.scriptIntegrity, atc: 1, cryptogram: 2)
      #expect((plain == nil) == (version.paymentSystem == .commonCore), "\(version)")
      #expect((mac == nil) == (version.paymentSystem == .commonCore), "\(version)")
      #expect((replacing != nil) == (version.paymentSystem == .visa), "\(version)")
    }
  }

  @Test(arguments: AESVectors.all)
  func `CCD version 6 protects scripts with AES keys`(_ vector: AESVectors) throws {
    let master = try secret(vector.icc_mk_option_c)
    let cryptogram = try #require(UInt64(vector.ac, radix: 16))
    let key = CryptogramVersion.commonCore6.scriptSessionKey(masterKey: master, atc: 0, cryptogram: cryptogram)
    #expect(exposedHex(key) == vector.sk_sm_with_R_arqc)
  }
}
