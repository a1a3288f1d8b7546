extension DataElement {
  /// Whether a value has a permitted length and, for an AFL, valid entries.
  public func allows(_ value: [UInt8]) -> Bool {
    lengths.contains(value.count)
      && (tag != .applicationFileLocator || (try? ApplicationFileLocator(parsing: value)) != nil)
  }
}
