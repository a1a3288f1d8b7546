import EMVCard
import ISO7816
import Octets
import Testing

@Suite("A card that asks before it computes")
struct PermissionTests {
  struct Course: Sendable {
    let card: String
    let aid: String
    /// Whether GENERATE AC follows GET PROCESSING OPTIONS.
    let generates: Bool
  }

  static let courses = [
    Course(card: "visa-cvn18", aid: "A0000000031010", generates: false),
    Course(card: "mastercard-cvn16", aid: "A0000000041010", generates: true),
  ]

  @Test(arguments: courses.indices)
  func `a command that needs the use is left to the caller, and nothing has changed when it is repeated`(
    _ index: Int
  ) throws {
    let course = Self.courses[index]
    let image = try shippedImage(course.card)
    var asked = Card(image: image)
    var direct = Card(image: image)
    asked.arm(try arming(for: image))
    direct.arm(try arming(for: image))
    let select = try [UInt8](hex: "00A4040007\(course.aid)00")
    let selections = (asked.octets(answering: select, permittedAt: nil), direct.octets(answering: select))
    #expect(selections.0 == selections.1)
    var commands = [try Terminal.options(for: image.applications[0].pdol).encoded]
    if course.generates {
      commands.append(try Terminal.generate(try #require(image.applications[0].cdol1)).encoded)
    }
    for command in commands {
      let before = asked.record
      let refused = asked.octets(answering: command, permittedAt: nil)
      let (isArmed, after) = (asked.isArmed, asked.record)
      #expect(refused.isEmpty && isArmed && after == before)
      let permitted = asked.octets(answering: command, permittedAt: Instant(nanoseconds: 0))
      let expected = direct.octets(answering: command)
      #expect(permitted == expected)
    }
    let records = (asked.record, direct.record)
    #expect(records.0 == records.1)
    #expect(records.0 != nil)
  }

  @Test(arguments: ["00A4040007A000000004101000", "00B2010C00", "80A8000002830000", "80CA9F3600", "00FF000000", "00"])
  func `a command that needs no use is answered without a permission`(_ hex: String) throws {
    let image = try shippedImage("mastercard-cvn16")
    var asked = Card(image: image)
    var direct = Card(image: image)
    for command in ["00A4040007A000000004101000", "80A8000002830000"] {
      _ = asked.octets(answering: try [UInt8](hex: command), permittedAt: Instant(nanoseconds: 0))
      _ = try direct.answer(command)
    }
    let command = try [UInt8](hex: hex)
    let answers = (asked.octets(answering: command, permittedAt: nil), direct.octets(answering: command))
    #expect(answers.0 == answers.1)
  }
}

extension Card {
  fileprivate mutating func octets(answering octets: [UInt8], permittedAt instant: Instant?) -> [UInt8] {
    var buffer = [UInt8](repeating: 0xEE, count: shortResponseCapacity)
    let count = buffer.withMutableOctets { room in
      if let instant {
        respond(to: octets.span, at: instant, into: &room)
      } else {
        respondWithoutPermission(to: octets.span, into: &room)
      }
    }
    return Array(buffer[..<count])
  }
}
