import EMVCard
import EMVData
import Fixtures
import ISO7816
import Octets
import Testing

/// A card returns at most Ne octets: a longer response is 6Cxx, and the command with that Le gets it.
@Suite("Le and the length of responses")
struct ResponseLengthTests {
  /// The commands of a payment with every application of a card, without Le.
  static func commands(_ application: CardImage.Application) throws -> [CommandAPDU] {
    let generate = try application.cdol1.map { try Terminal.generate($0) }
    let checksum = generate == nil ? try application.udol.map { try Terminal.checksum($0) } : nil
    return try [
      .select(name: FileControlInformation.ppseName), .select(name: application.aid.octets),
      CommandAPDU(cla: 0x80, ins: 0xCA, p1: 0x9F, p2: 0x36, data: [], expectedLength: 256),
      CommandAPDU(cla: 0x80, ins: 0xCA, p1: 0x9F, p2: 0x17, data: [], expectedLength: 256),
      Terminal.options(for: application.pdol),
    ] + [generate, checksum].compactMap(\.self)
      + (1...3).flatMap { sfi in [.readRecord(1, sfi: UInt8(sfi)), .readRecord(2, sfi: UInt8(sfi))] }
  }

  @Test(arguments: CardProfileTests.shipped)
  func `every response is the same at Le 00 and at its own length, and 6Cxx changes nothing below`(
    _ name: String
  ) throws {
    let image = try shippedImage(name)
    for application in image.applications {
      for walletData in [[], [UInt8](repeating: 0xE0, count: 14)] {
        var card = Card(image: image, random: SeededRandomSource(seed: 1))
        var hurried = Card(image: image, random: SeededRandomSource(seed: 1))
        card.arm(try arming(for: image, walletData: walletData))
        hurried.arm(try arming(for: image, walletData: walletData))
        for command in try Self.commands(application) {
          let whole = try card.answer(command)
          for length in 1..<max(whole.data.count, 1) {
            let answer = try hurried.answer(command.with(expectedLength: length))
            try #require(answer == ResponseAPDU(status: StatusWord(.wrongLength(available: whole.data.count))!))
          }
          #expect(try hurried.answer(command.with(expectedLength: max(whole.data.count, 1))) == whole)
        }
        #expect(card.phase == .completed)
        #expect(hurried.phase == card.phase)
        let (one, two) = (card.record, hurried.record)
        #expect(one == two)
      }
    }
  }

  @Test func `a command without Le gets no data and spends no use`() throws {
    let image = try shippedImage("visa-cvn18")
    var card = Card(image: image)
    card.arm(try arming(for: image))
    #expect(try card.answer("00A404000E325041592E5359532E4444463031") == "6C35")
    #expect(try card.answer("00A4040007A0000000031010") == "6C59")
    // The selection did not happen.
    #expect(try card.answer("80CA9F3600") == "6985")
    _ = try card.answer("00A4040007A000000003101000")
    let options = String(CardCommandTests.options.dropLast(2))
    #expect(try card.answer(options) == "6C3A")
    #expect(card.isArmed == true)
    #expect((card.record == nil) == true)
    #expect(try card.answer(options + "3A").hasSuffix("9000"))
    #expect(card.isArmed == false)
    #expect(try card.answer("00B2010C") == "6C33")
    #expect(try card.answer("80CA9F36") == "6C05")
  }

  @Test(arguments: [
    ("0001", "6C3A"), ("0039", "6C3A"), ("003A", "9000"), ("0100", "9000"), ("FFFF", "9000"), ("0000", "9000"),
  ])
  func `an extended Le limits the response like a short one; 0000 is 65536`(_ le: String, _ status: String) throws {
    let image = try shippedImage("visa-cvn18")
    var card = Card(image: image)
    card.arm(try arming(for: image))
    _ = try card.answer("00A4040007A000000003101000")
    let data = CardCommandTests.options.dropFirst(10).dropLast(2)
    let answer = try card.answer("80A80000" + "000023" + data + le)
    #expect(answer.hasSuffix(status))
    #expect(card.isArmed == (status != "9000"))
  }

  @Test func `SELECT of the next application with a short Le stays at the application before`() throws {
    let image = try shippedImage("visa-two-accounts")
    var card = Card(image: image)
    _ = try card.answer("00A4040005A00000000300")
    #expect(try card.answer("00A4040205A00000000310").hasPrefix("6C"))
    let answer = try card.answer("00A4040205A00000000300")
    #expect(answer.contains("A0000000032010"))
  }

  @Test func `a directory of 256 bytes needs Le 00`() throws {
    let directory = [UInt8](repeating: 0x42, count: 256)
    var card = Card(image: try shippedImage("visa-cvn18"), directory: directory)
    let select = "00A404000E325041592E5359532E4444463031"
    #expect(try card.answer(select + "FF") == "6C00")
    #expect(try card.answer(select + "00") == directory.hex + "9000")
  }

  @Test func `a refusal with data is 6Cxx at a short Le and leaves the exchange in its stage`() throws {
    for (name, mode) in [("mastercard-cvn16", true), ("mastercard-magstripe", false)] {
      let image = try shippedImage(name)
      let application = image.applications[0]
      var card = Card(image: image)
      _ = try MastercardPaymentTests.begin(&card, application)
      let command =
        try mode
        ? Terminal.generate(#require(application.cdol1))
        : Terminal.checksum(#require(application.udol))
      #expect(try card.answer(command.with(expectedLength: 12)).status.rawValue >> 8 == 0x6C)
      #expect(try card.answer(command).status == .ok)
      #expect(try card.answer(command).status == .conditionsNotSatisfied)
    }
  }

  @Test func `relay resistance with a short Le uses no random number`() throws {
    let image = try shippedImage("mastercard-cvn21")
    var card = Card(image: image, random: SeededRandomSource(seed: 1))
    var other = Card(image: image, random: SeededRandomSource(seed: 1))
    _ = try MastercardPaymentTests.begin(&card, image.applications[0])
    _ = try MastercardPaymentTests.begin(&other, image.applications[0])
    let command = "80EA00000452BF4585"
    for _ in 0..<5 { #expect(try card.answer(command + "0B") == "6C0C") }
    let (one, two) = (try card.answer(command + "00"), try other.answer(command + "00"))
    #expect(one == two)
  }
}
