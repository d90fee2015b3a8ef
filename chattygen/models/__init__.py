"""The model side: catalogue, weights, local servers, one client."""
