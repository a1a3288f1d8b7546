internal import AccessMessages
internal import DisplayText
internal import Foundation
internal import Octets
package import ServerShell
internal import ServerStore

/// The request for a page of a session.
package struct PageRequest: Sendable {
  package let path: String
  package let call: Call
  package let session: OperatorSession

  /// Creates a request.
  package init(path: String, call: Call, session: OperatorSession) {
    (self.path, self.call, self.session) = (path, call, session)
  }

  /// The parameters that select the part of a page that is shown. Links and forms of the page keep them.
  static let places = [
    "id", "name", "q", "in", "account", "event", "code", "from", "to", "after", "accountsAfter", "cardsAfter",
    "formerAfter",
    "attemptsAfter",
  ]
  /// The parameter of a form with the path of the page that is shown afterwards.
  package static let pageParameter = "page"

  /// Where a list begins: the parameter of the link to its next page.
  func start(_ name: String = "after") throws(AccessError) -> String? { try call.parameter(name, 1...1_024) }

  /// A text that the operator has typed, without spaces at its ends; nil for an empty one.
  func entry(_ name: String) throws(AccessError) -> String? {
    let text = try call.parameter(name, 0...256)?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    return text.isEmpty ? nil : text
  }

  /// How much of a list is shown, and the links to its first and its next page.
  ///
  /// - Parameters:
  ///   - noun: The name of an element of the list, in the singular.
  ///   - next: The place behind an element.
  func foot<Element>(
    _ part: PagePart<Element>, _ noun: String, _ parameter: String = "after", next: (Element) -> String
  ) -> HTML {
    let isFirst = call.target.query[parameter] == nil
    guard !part.elements.isEmpty || !isFirst else { return .empty }
    let first: HTML = isFirst ? .empty : " <a href=\"\(link([(parameter, nil)]))\">First page</a>"
    var more: HTML = .empty
    if part.hasMore, let last = part.elements.last {
      more = " There are more. <a href=\"\(link([(parameter, next(last))]))\">Next page</a>"
    }
    return "<p class=\"foot\">Shown: \(part.elements.count.counted(noun)).\(more)\(first)</p>"
  }

  /// A link to this page with other values of some parameters.
  func link(_ changes: [(name: String, value: String?)]) -> String {
    let changed = Set(changes.map(\.name))
    return path.query(call.target.places.filter { !changed.contains($0.name) } + changes)
  }

  /// A form with one button. The response shows the same part of this page again.
  func button(_ title: String, _ action: String, _ fields: [(name: String, value: String)]) -> HTML {
    let page = [(name: Self.pageParameter, value: Optional(path))]
    return PageFrame.button(title, action.query(call.target.places + page), fields, session)
  }
}

extension RequestTarget {
  /// The parameters that select the part of a page that is shown.
  package var places: [(name: String, value: String?)] { PageRequest.places.map { (name: $0, value: query[$0]) } }
}

/// The part of a list that a page shows.
struct PagePart<Element> {
  var elements: [Element]
  /// Whether the list goes on.
  let hasMore: Bool

  /// Reads one element more than the page shows.
  ///
  /// - Parameter read: Reads at most as many elements as its argument.
  init<Failure: Error>(
    limit: Int = OperatorPage.recordCount, _ read: (Int) throws(Failure) -> [Element]
  ) throws(Failure) {
    let found = try read(limit + 1)
    (elements, hasMore) = (Array(found.prefix(limit)), found.count > limit)
  }
}
