import AccessMessages
import Foundation
import JSON
import ProgramSupport

/// A file of the messages between the parts of a story, one line of JSON each: sender, receiver and text.
struct Journal: Sendable {
  let path: String

  /// Appends a message. Several processes may write to one file: each line is written at once.
  func append(_ message: Message) throws(CommandFailure) {
    let file = try OptionFiles.appending(to: path)
    do {
      _ = try file.seekToEnd()
      try file.write(contentsOf: Data((message.json.compact + "\n").utf8))
    } catch { throw CommandFailure("File", "\(path) cannot be written: \(error.localizedDescription)", .error) }
  }

  /// Reads all messages.
  ///
  /// - Throws: `CommandFailure`, with the number of a line of the wrong form.
  func messages() throws(CommandFailure) -> [Message] {
    var messages: [Message] = []
    for (index, line) in try OptionFiles.read(path).split(separator: UInt8(ascii: "\n")).enumerated() {
      guard let json = try? JSONValue(parsing: Array(line)), let message = Message(json) else {
        throw CommandFailure(
          "File", "\(path), line \(index + 1): the members from, to and text are expected", .notRight)
      }
      messages.append(message)
    }
    return messages
  }
}

/// A message from one part of a story to another. It has no secret: the text is the method and the path of a request, or
/// what a person or a terminal does.
struct Message: Equatable, Sendable {
  /// The part that sends it, such as `tap-wallet`.
  let sender: String
  /// The part that receives it.
  let receiver: String
  /// What it is.
  let text: String
  /// Whether the receiver refused it.
  var isRefused = false

  init(_ sender: String, to receiver: String, _ text: String, isRefused: Bool = false) {
    (self.sender, self.receiver, self.text, self.isRefused) = (sender, receiver, text, isRefused)
  }

  /// Reads a line; nil for one of the wrong form.
  init?(_ json: JSONValue) {
    guard let sender = json["from"]?.text, let receiver = json["to"]?.text, let text = json["text"]?.text else {
      return nil
    }
    self.init(sender, to: receiver, text, isRefused: json["refused"]?.flag ?? false)
  }

  var json: JSONValue {
    ["from": JSONValue(sender), "to": JSONValue(receiver), "text": JSONValue(text), "refused": JSONValue(isRefused)]
  }
}

/// Sends requests through another exchange, and appends each with the status of its answer to a journal.
struct JournalExchange: HTTPExchange {
  let exchange: any HTTPExchange
  let journal: Journal
  /// The part that sends the requests.
  let sender: String

  static let server = "tap-server"

  func serverCertificate(of origin: String) async -> [UInt8]? { await exchange.serverCertificate(of: origin) }

  func send(_ request: HTTPRequest) async throws(HTTPExchangeError) -> HTTPResponse {
    let path = request.url.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3).joined(separator: "/")
    let text = "\(request.method.rawValue) /\(Self.shortened(path))"
    do throws(HTTPExchangeError) {
      let response = try await exchange.send(request)
      note("\(text): \(response.status)", isRefused: !(200..<300).contains(response.status))
      return response
    } catch {
      note("\(text): no answer", isRefused: true)
      throw error
    }
  }

  // A journal that cannot be written must not end the operation that it reports.
  private func note(_ text: String, isRefused: Bool) {
    try? journal.append(Message(sender, to: Self.server, text, isRefused: isRefused))
  }

  /// A path with long identifiers shortened.
  private static func shortened(_ path: String) -> String {
    path.prefix { $0 != "?" }.split(separator: "/").map { $0.count > 20 ? $0.prefix(4) + "…" : $0 }
      .joined(separator: "/")
  }
}
