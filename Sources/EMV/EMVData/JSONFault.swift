internal import Foundation

/// Why a text is no JSON, with the place of the fault as far as Foundation tells it: for card and terminal profiles.
///
/// The decoder itself names no place for malformed JSON; the serialization counts characters from 0.
public func jsonFault(in text: [UInt8]) -> String {
  do {
    _ = try JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
  } catch {
    let detail = (error as NSError).userInfo["NSDebugDescription"] as? String
    return detail ?? "not valid JSON"
  }
  return "not valid JSON"
}
