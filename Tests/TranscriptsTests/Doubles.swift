import Fixtures
import Foundation
import ISO7816
import Links
import Octets
import Transcripts

/// A channel that returns prepared responses in order, then fails.
struct ScriptedChannel: CardChannel, ~Copyable {
  let identity = CardIdentity(answerToReset: [0x3B, 0x00], protocolName: "T=1")
  var responses: [[UInt8]]
  var failure = LinkError.Code.cardRemoved
  /// Advanced by a millisecond for each response.
  var clock: ManualClock?

  mutating func transmit(_ command: Span<UInt8>, into response: inout MutableRawSpan) throws(LinkError) -> Int {
    clock?.advance(by: .milliseconds(1))
    guard !responses.isEmpty else { throw LinkError(failure, "the script has ended") }
    let next = responses.removeFirst()
    response.copy(next.span, to: 0)
    return next.count
  }

  mutating func close() {}
}

/// A card that returns prepared responses in order, then 6F00, and records its commands and field events.
struct ScriptedResponder: CommandResponder, ~Copyable {
  var responses: [[UInt8]]
  var commands: [[UInt8]] = []
  var events: [FieldEvent] = []
  var instants: [Int64] = []
  var reports = 0

  mutating func responseSent() { reports += 1 }

  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    commands.append(command.array)
    instants.append(instant.nanoseconds)
    let next = responses.isEmpty ? [0x6F, 0x00] : responses.removeFirst()
    response.copy(next.span, to: 0)
    return next.count
  }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    events.append(event)
    instants.append(instant.nanoseconds)
  }
}

extension CardChannel where Self: ~Copyable {
  /// Sends bytes and returns the response.
  mutating func send(_ hex: String) throws -> String {
    let command = try [UInt8](hex: hex)
    var buffer = [UInt8](repeating: 0, count: 300)
    let count = try buffer.withMutableOctets { (room) throws(LinkError) in try transmit(command.span, into: &room) }
    return buffer[..<count].hex
  }
}

extension CommandResponder where Self: ~Copyable {
  mutating func ask(_ hex: String, at nanoseconds: Int64 = 0) throws -> String {
    let command = try [UInt8](hex: hex)
    var buffer = [UInt8](repeating: 0, count: shortResponseCapacity)
    let count = buffer.withMutableOctets {
      respond(to: command.span, at: Instant(nanoseconds: nanoseconds), into: &$0)
    }
    responseSent()
    return buffer[..<count].hex
  }
}

/// A short tap: directory, application, options, one record. The account number is a test number of the schemes.
enum SampleTap {
  static let pan = "4761739001010010"
  static let ppse = "00A404000E325041592E5359532E444446303100"
  static let directory =
    "6F23840E325041592E5359532E4444463031A511BF0C0E610C4F07A00000000310108701019000"
  static let select = "00A4040007A000000003101000"
  static let application = "6F1E8407A0000000031010A5139F38109F66049F02069F37049A035F2A029C019000"
  static let options = "80A80000168314" + "36004000000000001234124D3DCA26013109780000"
  static let answer =
    "7731820200409404080101009F360200019F26085B3617315A36DABD5713" + "4761739001010010D22122011143804400000F9000"
  static let read = "00B2010C00"
  static let record = "701C5A08" + "47617390010100105F2005444F452F4A5F3401015F24032212319000"

  static var transcript: Transcript {
    var transcript = Transcript(identity: CardIdentity(answerToReset: [0x3B, 0x00], protocolName: "T=CL"))
    transcript.exchanges = pairs.map {
      Transcript.Exchange(command: octets($0), response: octets($1))
    }
    return transcript
  }

  static func octets(_ hex: String) -> [UInt8] { (try? [UInt8](hex: hex)) ?? [] }

  static let pairs = [(ppse, directory), (select, application), (options, answer), (read, record)]
}
