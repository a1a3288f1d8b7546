import JSON
import Octets

/// A message from one part of a story to another. It contains no secret: the text is the method and the path of a request, or
/// the action of a person or a terminal.
struct Message: Equatable, Sendable {
  /// The person who holds the device.
  static let holder = "holder"

  /// The part that sends it, such as `tap-wallet`.
  let sender: String
  /// The part that receives it.
  let receiver: String
  /// The request or the action.
  let text: String
  /// Whether the receiver refused it.
  var isRefused = false
  /// When it was sent; nil for a line without a time.
  var sentAt: WallTime?

  init(_ sender: String, to receiver: String, _ text: String, isRefused: Bool = false) {
    (self.sender, self.receiver, self.text, self.isRefused) = (sender, receiver, text, isRefused)
  }

  /// Reads a line; nil for one of the wrong form.
  init?(_ json: JSONValue) {
    guard let sender = json["from"]?.text, let receiver = json["to"]?.text, let text = json["text"]?.text else {
      return nil
    }
    self.init(sender, to: receiver, text, isRefused: json["refused"]?.flag ?? false)
    sentAt = json["at"]?.text.flatMap(WallTime.init(iso8601WithMilliseconds:))
  }

  var json: JSONValue {
    JSONValue(members: [
      ("at", sentAt.map { JSONValue($0.iso8601WithMilliseconds) }), ("from", JSONValue(sender)),
      ("to", JSONValue(receiver)), ("text", JSONValue(text)), ("refused", JSONValue(isRefused)),
    ])
  }
}
