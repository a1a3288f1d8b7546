internal import Foundation

/// Why a text is no JSON, with the place of the fault as far as Foundation tells it: for card and terminal profiles.
///
/// The decoder itself names no place for malformed JSON; the serialization counts characters from 0. What only the
/// decoder refuses is a number that no whole number can hold.
public func jsonFault(in text: [UInt8]) -> String {
  do {
    _ = try JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
  } catch {
    let detail = (error as NSError).userInfo["NSDebugDescription"] as? String
    return "no JSON: " + (detail ?? "not valid")
  }
  return "a number is not whole or too large"
}
