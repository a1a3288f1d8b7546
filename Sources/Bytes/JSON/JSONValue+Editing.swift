extension JSONValue {
  /// A copy with another value at a path.
  ///
  /// - Parameters:
  ///   - path: Keys and indices without a leading `$.`, such as `applications[1].limits[0].floor`. An index equal to
  ///     the number of values appends to the list.
  ///   - value: The new value; nil removes the key or the element.
  /// - Returns: The copy. Equal to this value when the path runs through a value that is neither an object nor a list.
  public func setting(_ path: String, to value: JSONValue?) -> JSONValue {
    setting(path.split(whereSeparator: { $0 == "." || $0 == "[" || $0 == "]" })[...], to: value)
  }

  private func setting(_ parts: ArraySlice<Substring>, to value: JSONValue?) -> JSONValue {
    guard let part = parts.first else { return value ?? JSONValue(.null) }
    let rest = parts.dropFirst()
    switch content {
    case .object(var members):
      let index = members.firstIndex { $0.key == part }
      let old = index.map { members[$0].value } ?? JSONValue(.object([]))
      let new = rest.isEmpty ? value : old.setting(rest, to: value)
      switch (index, new) {
      case (let index?, let new?): members[index] = Member(String(part), new, at: members[index].position)
      case (let index?, nil): members.remove(at: index)
      case (nil, let new?): members.append(Member(String(part), new, at: position))
      case (nil, nil): break
      }
      return JSONValue(.object(members), at: position)
    case .list(var values):
      guard let index = Int(part), (0...values.count).contains(index) else { return self }
      let old = index < values.count ? values[index] : JSONValue(.object([]))
      let new = rest.isEmpty ? value : old.setting(rest, to: value)
      values.replaceSubrange(index..<min(index + 1, values.count), with: new.map { [$0] } ?? [])
      return JSONValue(.list(values), at: position)
    default: return self
    }
  }
}
