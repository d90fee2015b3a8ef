"""Playing a benchmark to a chatbot or a language model, and scoring it (Head-to-Tail, section 2)."""
