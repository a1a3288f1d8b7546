import EMVCard
import EMVData
import Fixtures
import ISO7816
import Octets
import Testing

@Suite("Mutated commands")
struct MutationTests {
  /// A card and the commands of a payment with it.
  struct Course: Sendable {
    let card: String
    let application: Int
    let commands: [String]
    /// A checksum of every response, and of the phase of the card after it. It was taken when the card read commands
    /// byte by byte, so it shows that a faster card gives the same responses.
    let checksum: UInt64
  }

  static let courses = [
    Course(
      card: "visa-two-accounts", application: 0, commands: CardCommandTests.table.map(\.command),
      checksum: 0xD394_368E_8284_01F5),
    Course(
      card: "mastercard-cvn16", application: 0, commands: KernelCommandTests.mastercard.map(\.command),
      checksum: 0x7B8D_1A94_AC7A_387D),
    Course(
      card: "mastercard-cvn21", application: 0,
      commands: ["00A4040007A000000004101000", "80A8000002830000"] + KernelCommandTests.relay.map(\.command),
      checksum: 0x52DB_E36F_52F2_7178),
    Course(
      card: "mastercard-magstripe", application: 0,
      commands: ["00A4040007A000000004101000"] + KernelCommandTests.magStripe.map(\.command),
      checksum: 0xF62B_B16B_663F_2259),
    Course(
      card: "amex-mobile", application: 0,
      commands: ["00A4040006A0000000250100"] + KernelCommandTests.americanExpress.map(\.command),
      checksum: 0x0A69_92B9_C607_D87C),
    Course(
      card: "co-badged", application: 1, commands: KernelCommandTests.mastercard.map(\.command),
      checksum: 0x0FA5_55CB_5595_F937),
    Course(
      card: "jcb-mobile", application: 0,
      commands: ["00A4040007A000000065101000"] + KernelCommandTests.jcb.map(\.command),
      checksum: 0x53ED_132D_FA35_7C1E),
    Course(
      card: "discover", application: 0,
      commands: ["00A4040007A000000152301000"] + KernelCommandTests.discover.map(\.command),
      checksum: 0x9BB9_D942_7395_C64C),
    Course(
      card: "unionpay", application: 0,
      commands: ["00A4040008A00000033301010100"] + KernelCommandTests.unionPay.map(\.command),
      checksum: 0x3E61_50A8_D299_9299),
  ]

  @Test(arguments: courses.indices)
  func `360 000 mutated commands get the responses that they always got, and some a cryptogram`(_ index: Int)
    throws
  {
    let course = Self.courses[index]
    let image = try shippedImage(course.card)
    var generator = SplitMix64(seed: 2026_11_21 + UInt64(index))
    let seeds = try course.commands.map { try [UInt8](hex: $0) }
    var counts = Counts()
    for _ in 0..<800 {
      try run(image, course.application, seeds, &generator, &counts)
    }
    #expect(counts.commands == 40_000)
    #expect(counts.outOfRange == 0)
    // Some commands stay valid and some cards give a cryptogram: the responses are not all refusals.
    #expect(counts.succeeded > 1_000)
    #expect(counts.computed > 100)
    #expect(counts.checksum == course.checksum)
  }

  private struct Counts {
    var commands = 0
    var outOfRange = 0
    var succeeded = 0
    var computed = 0
    /// FNV-1a.
    var checksum: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ answer: [UInt8], _ phase: CardPhase) {
      // The number that it had before there were cards that await their issuer.
      let phase: UInt8 = phase == .completed ? 3 : phase.rawValue
      for octet in answer + [phase] { checksum = (checksum ^ UInt64(octet)) &* 0x100_0000_01B3 }
    }
  }

  /// Sends fifty commands to an armed card in one of the states.
  private func run(
    _ image: CardImage, _ application: Int, _ seeds: [[UInt8]], _ generator: inout SplitMix64, _ counts: inout Counts
  ) throws {
    var card = Card(image: image, random: SeededRandomSource(seed: generator.next()))
    if generator.next() % 4 != 0 { card.arm(try arming(for: image)) }
    let facts = image.applications[application]
    for round in 0..<50 {
      if round % 7 == 0 {
        card.fieldChanged(.reset, at: Instant(nanoseconds: 0))
        _ = try card.answer(.select(name: facts.aid.octets))
        if generator.next() % 2 == 0 { _ = try card.answer(Terminal.options(for: facts.pdol)) }
      }
      let seed = seeds[Int(generator.next() % UInt64(seeds.count))]
      let answer = card.octets(answering: mutated(seed, &generator))
      counts.commands += 1
      counts.add(answer, card.phase)
      if !(2...shortResponseCapacity).contains(answer.count) { counts.outOfRange += 1 }
      if answer.suffix(2) == [0x90, 0x00] { counts.succeeded += 1 }
    }
    if card.record != nil { counts.computed += 1 }
  }

  private func mutated(_ seed: [UInt8], _ generator: inout SplitMix64) -> [UInt8] {
    var octets = seed
    for _ in 0..<generator.next() % 4 {
      let position = octets.isEmpty ? 0 : Int(generator.next() % UInt64(octets.count))
      switch generator.next() % 5 {
      case 0 where !octets.isEmpty: octets[position] = UInt8(truncatingIfNeeded: generator.next())
      case 1 where !octets.isEmpty: octets.remove(at: position)
      case 2: octets.insert(UInt8(truncatingIfNeeded: generator.next()), at: position)
      case 3: octets = Array(octets.prefix(position))
      default: octets += octets.prefix(300)
      }
    }
    return octets
  }
}
