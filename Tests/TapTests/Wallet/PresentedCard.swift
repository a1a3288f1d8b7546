import EMVCard
import EMVCryptography
import EMVData
import EMVIssuer
import Foundation
import ISO7816
import Octets
import TestSupport
import Testing

/// The card of a process of `tap present`, at the terminal that this test is: each command is answered before the next one is sent.
final class PresentedCard {
  let program: ProgramRun
  let reader = SimulatedVPCD()

  /// Starts the process, and waits until its card is armed and in the field.
  init(wallet: String) throws {
    program = try TapProgram.start([
      "present", "--link", "vpcd:127.0.0.1:\(reader.port)", "--wallet", wallet, "--format", "json", "--timeout", "600",
    ])
    reader.accept()
    // 04 asks for the answer to reset, 01 switches the field on.
    #expect(reader.exchange([0x04]) != nil, "\(program.errors)")
    reader.send([0x01])
  }

  /// Sends a command. Returns the response; nil from a card that has left its reader.
  @discardableResult
  func send(_ command: [UInt8]) -> [UInt8]? { reader.exchange(command) }

  @discardableResult
  func send(_ command: String) throws -> [UInt8]? { send(try [UInt8](hex: command)) }

  /// Switches the field off and waits for the end of the process.
  func leave() throws -> TapProgram.Run {
    reader.send([0x00])
    return try TapProgram.finish(program)
  }

  func kill() throws {
    program.signal(SIGKILL)
    _ = try program.finish()
  }
}

/// A card that signs, at an offline terminal (kernel 3).
extension PresentedCard {
  private static let records = ["00B2010C00", "00B2011C00", "00B2011400", "00B2021400"]

  func select() throws { #expect(try send("00A4040007F000000001101000")?.suffix(2) == [0x90, 0x00]) }

  /// Asks for an approval of an amount in euros, of 12 digits. Returns the type of the cryptogram, nil without one.
  func approval(of amount: String = "000000001234") throws -> CryptogramType? {
    let options = "80A8000023832136004000\(amount)000000000000027600000000000978260131" + "0052BF458500"
    let response = try #require(try send(options), "\(program.errors)")
    guard response.suffix(2) == [0x90, 0x00], let node = try [TLVNode](parsing: Array(response.dropLast(2)).span).first,
      let data = node.first(0x9F10)?.value
    else { return nil }
    // Bits 6 and 5 of byte 2 of the CVR, which follow a length, two bytes and the length of the CVR.
    return [1: CryptogramType.tc, 2: .arqc][data[4] >> 4 & 3] ?? .aac
  }

  /// Reads the records, which completes the payment, and waits for the end of the process.
  func complete() throws {
    for record in Self.records { #expect(try send(record)?.suffix(2) == [0x90, 0x00]) }
    let run = try TapProgram.finish(program)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
  }
}

/// A card that takes its issuer's scripts, and the issuer that sends them.
struct ScriptedTap {
  let card: PresentedCard
  private let application: CardImage.Application
  private let cryptogram: UInt64
  private let counter: UInt16

  /// Asks for an ARQC.
  init(_ card: PresentedCard, _ image: CardImage) throws {
    self.card = card
    application = image.applications[0]
    card.send(CommandAPDU.select(name: application.aid.octets).encoded)
    let values = application.pdol.values { _ in nil }
    card.send(
      try CommandAPDU(
        cla: 0x80, ins: 0xA8, p1: 0, p2: 0, data: [0x83, UInt8(values.count)] + values, expectedLength: 256
      ).encoded)
    let list = try #require(application.cdol1).values { _ in nil }
    let command = try CommandAPDU(cla: 0x80, ins: 0xAE, p1: 0x80, p2: 0, data: list, expectedLength: 256)
    let response = try #require(card.send(command.encoded))
    let node = try #require(try [TLVNode](parsing: Array(response.dropLast(2)).span).first, "\(response.hex)")
    // Format 1 has CID, counter, cryptogram and tag 9F10 without their tags.
    let isPlain = node.tag == Tag(rawValue: 0x80)
    let number = isPlain ? Array(node.value[1..<3]) : try #require(node.first(0x9F36)?.value)
    let octets = isPlain ? Array(node.value[3..<11]) : try #require(node.first(0x9F26)?.value)
    counter = number.reduce(0) { $0 << 8 | UInt16($1) }
    cryptogram = octets.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Sends a command of a script. Returns the status word in hexadecimal; nil from a card that has left its reader.
  func script(_ ins: UInt8, _ parameters: UInt16 = 0, _ data: [UInt8] = []) throws -> String? {
    let header: [UInt8] = [0x84, ins, UInt8(parameters >> 8), UInt8(parameters & 0xFF), UInt8(data.count + 8)]
    let mac = application.cryptogramVersion.scriptMAC(
      header: header, data: data, masterKey: TestIssuer().cardScriptKey(of: IssuerAccount(application)), atc: counter,
      cryptogram: cryptogram)
    return card.send(try header + data + #require(mac).bigEndianOctets)?.hex
  }
}
